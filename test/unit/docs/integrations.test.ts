import { expect, it, test } from 'vitest'
import { parse } from 'yaml'
import { checkIngresses } from '#core/ingress/check-ingress.ts'
import { IngressSpec } from '#core/ingress/ingress-schema.ts'
import { normalizeAlerts } from '#core/trigger/normalize-alert.ts'
import { docBlocks } from '#test/support/doc-blocks.ts'

test.each(['grafana', 'pagerduty', 'cloudwatch'])('the ingress that the page about %s shows is sound', (page) => {
  const block = docBlocks(`integrations/${page}`, 'yaml').find((each) => each.startsWith('ingress:')) ?? ''
  const { ingress } = parse(block) as { ingress: unknown[] }
  expect(
    checkIngresses(
      ingress.map((each) => IngressSpec.parse(each)),
      [],
    ),
  ).toEqual([])
})

it('the payload that the page about Datadog shows is understood, with all its variables', () => {
  const payload = JSON.parse(docBlocks('integrations/datadog', 'json')[0] ?? '') as Record<string, string>
  const values: Record<string, string> = {
    $EVENT_TITLE: '[Recovered on {service:checkout}] [P2] Latency is high',
    $TEXT_ONLY_MSG: 'p99 is below 500 ms',
    $ALERT_TRANSITION: 'Recovered',
    $ALERT_ID: '1234',
    $ALERT_CYCLE_KEY: '9bd4ac',
    $AGGREG_KEY: '77628',
    $ALERT_PRIORITY: 'P2',
    $TAGS: 'monitor, service:checkout, url:https://checkout.example.test',
    $LINK: 'https://app.datadoghq.com/event/event?id=1',
    $DATE: '1767225600000',
  }
  const sent = Object.fromEntries(Object.entries(payload).map(([name, variable]) => [name, values[variable]]))
  expect(Object.values(payload).sort()).toEqual(Object.keys(values).sort())
  expect(normalizeAlerts(sent, undefined, () => 'digest').alerts).toMatchObject([
    {
      source: 'datadog',
      service: 'checkout',
      symptom: 'Latency is high',
      status: 'resolved',
      severity: 'high',
      external_id: '9bd4ac',
      labels: { url: 'https://checkout.example.test' },
      ends_at: '2026-01-01T00:00:00.000Z',
    },
  ])
})
