/** A deployment in which every kind of file names something of every other kind, and nothing is wrong. */
export const SOUND: Record<string, string> = {
  'channels.yaml': `- { name: ops-hook, kind: webhook, url: "https://hooks.example.test/svc", secret: env:OPS_HOOK_SECRET }
- { name: mail, kind: email, smtp: "smtp://127.0.0.1:2525", from: svc@example.test, to: [oncall@example.test] }
`,
  'environments/live.yaml': `name: live
class: production
profile: careful
workspaces: [default, shop]
approval:
  channels: [ops-hook]
  escalate_to: [mail]
  remind_after: 30m
  min_approvals: 2
egress: [loopback, 10.0.0.0/8, api.shop.internal]
freeze:
  - name: weekends
    cron: 0 18 * * 5
    duration: 48h
    timezone: Europe/Berlin
    freeze_approvers: [owner]
connections:
  orders: { kind: postgres, url: env:ORDERS_URL }
  shop-api: { kind: http, url: env:SHOP_API }
`,
  'models.yaml': `models:
  - { id: quick, provider: openai_compatible, base_url: "http://127.0.0.1:9/v1", prices: { input: 1, output: 1 }, limits: { context: 9, output: 9 } }
  - { id: thorough, provider: openai_compatible, base_url: "http://127.0.0.1:9/v1", prices: { input: 1, output: 1 }, limits: { context: 9, output: 9 } }
`,
  'profiles/careful.yaml': `name: careful
environment: live
model_roles:
  small: quick
  judge: { model: thorough, fallback: quick }
requires_approval: [node.drain]
require_plan_hash: true
`,
  'rules/nodes.yaml': `- name: node-not-ready
  on: alert
  match:
    symptom: NodeNotReady
    severity: [critical]
    when: has(alert.labels.node)
  run: shop/drain-node
  environment: live
  profile: careful
  inputs:
    node: "\${{ alert.labels.node }}"
    drain_s: 30
  limits: { cooldown: 30s }
`,
  'schedules/nightly.yaml': `- name: nightly-drain
  cron: 30 2 * * 1-5
  timezone: Europe/Berlin
  pack: shop
  template: drain-node
  environment: live
  profile: careful
  inputs: { node: n1 }
`,
  'skills/follow-up/SKILL.md': `---
name: follow-up
description: Drains a node once more when a run has failed.
run: shop/drain-node
on: [run.failed]
environment: live
inputs: { node: n1 }
---
Drain it.
`,
  'policies/live.yaml': `name: live-needs-people
applies_to:
  environments: [live]
  action_types: [node.drain]
  capabilities: [http.egress]
rules:
  - effect: require_hitl
    approval_role: approver
    channels: [ops-hook]
    require_note: reject
`,
  'packs/shop/pack.yaml': `apiVersion: svc/v1
name: shop
version: 1.0.0
title: Shop
capabilities: [http.egress, sql.read]
connections:
  - { id: orders, kind: postgres }
  - { id: shop-api, kind: http }
`,
  'packs/shop/templates/drain-node.yaml': `apiVersion: svc/v1
id: drain-node
title: Drain a node
risk: high
action_types: [node.drain]
inputs:
  type: object
  required: [node]
  properties:
    node: { type: string }
    drain_s: { type: integer, default: 60 }
steps:
  - id: orders
    operator: postgres.query
    with: { connection: orders, sql: select 1 }
    timeout: 30s
  - id: act
    operator: http.request
    action_type: node.drain
    requires_approval: true
    when: steps.orders.outputs.row_count > 0
    with: { connection: shop-api, method: POST, url: "/nodes/\${{ inputs.node }}/drain" }
    retry: { max_attempts: 2, initial: 1s }
  - id: report
    operator: report.render
    with: { title: "Drained {{ inputs.node }}", body: drain-node.md.liquid }
outputs: { drained: "\${{ steps.act.status == 'succeeded' }}" }
`,
  'packs/shop/templates/drain-node.md.liquid': `# {{ inputs.node }}

{% if steps.act.status == "succeeded" %}Drained.{% endif %}
{% for row in steps.orders.outputs.rows %}- {{ row.id }}
{% endfor %}
`,
  'packs/shop/policies/drain.yaml': `name: draining-is-tried-first
applies_to: { environments: [production, live], risks: [high] }
rules: [{ effect: require_dry_run }]
`,
}
