import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { z } from 'zod'
import { createMetrics } from '#platform/metrics.ts'
import { docBlocks } from '#test/support/doc-blocks.ts'

const Rules = z.strictObject({
  groups: z.array(
    z.strictObject({
      name: z.string(),
      rules: z.array(
        z.strictObject({
          alert: z.string(),
          expr: z.string(),
          for: z.string().optional(),
          labels: z.strictObject({ severity: z.enum(['critical', 'warning']) }),
          annotations: z.strictObject({ summary: z.string() }),
        }),
      ),
    }),
  ),
})

test('the documented alerting rules are a rule file, and its metrics are served', async () => {
  const block = docBlocks('incidents', 'yaml').find((each) => each.startsWith('groups:'))
  const { groups } = Rules.parse(parse(block ?? ''))
  const used = groups.flatMap(({ rules }) => rules.flatMap(({ expr }) => expr.match(/\b(?:svc|nodejs)_[a-z_]+/g) ?? []))
  const { body } = await createMetrics().text()
  expect(used.length).toBeGreaterThan(9)
  expect(used.filter((name) => !body.includes(`# TYPE ${name} `))).toEqual([])
})
