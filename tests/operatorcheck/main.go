// Reads one object of the Prometheus Operator as YAML, and exits with 1 if its API knows no such
// object, or a field of it does not.
package main

import (
	"fmt"
	"io"
	"os"

	monitoring "github.com/prometheus-operator/prometheus-operator/pkg/apis/monitoring/v1"
	"sigs.k8s.io/yaml"
)

func check(document []byte) error {
	var named struct {
		APIVersion string `json:"apiVersion"`
		Kind       string `json:"kind"`
	}
	if err := yaml.Unmarshal(document, &named); err != nil {
		return err
	}
	objects := map[string]any{
		monitoring.PodMonitorsKind:    &monitoring.PodMonitor{},
		monitoring.PrometheusRuleKind: &monitoring.PrometheusRule{},
	}
	object, known := objects[named.Kind]
	if !known || named.APIVersion != monitoring.SchemeGroupVersion.String() {
		return fmt.Errorf("%s of %s is not checked here", named.Kind, named.APIVersion)
	}
	return yaml.UnmarshalStrict(document, object)
}

func main() {
	document, err := io.ReadAll(os.Stdin)
	if err == nil {
		err = check(document)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
