import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

/** A directory of its own, removed afterwards. */
export function temporaryFolder() {
  const root = mkdtempSync(join(tmpdir(), 'svc-packs-'))
  return {
    root,
    write(files: Record<string, string>): void {
      for (const [path, text] of Object.entries(files)) {
        mkdirSync(dirname(join(root, path)), { recursive: true })
        writeFileSync(join(root, path), text)
      }
    },
    remove: () => rmSync(root, { recursive: true, force: true }),
  }
}

export const PACK_YAML = `apiVersion: svc/v1
name: demo
version: 1.0.0
title: Demo
`

export const TEMPLATE_YAML = `apiVersion: svc/v1
id: hello
title: Say hello
risk: low
inputs: { type: object, required: [url], properties: { url: { type: string } } }
steps:
  - id: ask
    operator: http.request
    with: { method: GET, url: "\${{ inputs.url }}/health" }
  - id: report
    operator: report.render
    with: { title: Hello, body: hello.md.liquid }
outputs: { status: "\${{ steps.ask.outputs.status }}" }
`

/** A sound pack named demo. */
export const DEMO_PACK = {
  'demo/pack.yaml': PACK_YAML,
  'demo/templates/hello.yaml': TEMPLATE_YAML,
  'demo/templates/hello.md.liquid': 'It answered {{ steps.ask.outputs.status }}.\n',
  'demo/rules/alerts.yaml': `- { name: any, on: alert, run: demo/hello, inputs: { url: "\${{ alert.labels.url }}" } }\n`,
  'demo/policies/guard.yaml': 'name: guard\nrules: [{ effect: require_hitl }]\n',
}
