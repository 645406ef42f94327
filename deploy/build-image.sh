#!/bin/sh
# Builds the image without a daemon and without a registry, as root on Debian: the base by mmdebstrap
# from Debian's packages, the rest by buildah. `build-image.sh FOLDER` puts everything there, as
# localhost/phom-referee in FOLDER/storage, which is buildah's --root.
set -eu
folder=$(mkdir -p "$1" && cd "$1" && pwd)
source=$(cd "$(dirname "$0")/.." && pwd)
certificates=/etc/ssl/certs
export STORAGE_DRIVER=vfs  # works within another container too

buildah() {
    command buildah --root "$folder/storage" --runroot "$folder/run" "$@"
}

# Nothing is pulled, so there is nothing whose signature could be asked for.
echo '{"default": [{"type": "insecureAcceptAnything"}]}' > "$folder/policy.json"

if [ ! -e "$folder/base.tar" ]; then
    mmdebstrap --variant=minbase --include=python3,python3-venv,ca-certificates bookworm "$folder/base.new.tar"
    mv "$folder/base.new.tar" "$folder/base.tar"
fi
container=$(buildah from --signature-policy "$folder/policy.json" scratch)
buildah add -q "$container" "$folder/base.tar" /
buildah commit -q --rm --signature-policy "$folder/policy.json" "$container" phom-base

# This machine's own certificates, as a proxy of its network may need them.
buildah bud --isolation chroot --signature-policy "$folder/policy.json" \
    --volume "$certificates:$certificates:ro" --build-arg PIP_CERT="$certificates/ca-certificates.crt" \
    --build-arg BASE=localhost/phom-base --build-arg REVISION="$(git -C "$source" rev-parse HEAD)" \
    --ignorefile "$source/deploy/Dockerfile.dockerignore" --file "$source/deploy/Dockerfile" \
    --tag phom-referee "$source"
