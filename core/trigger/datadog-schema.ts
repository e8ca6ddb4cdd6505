import { z } from 'zod'

/** Datadog leaves the name of a variable that has no value where it stands. */
const UNSUBSTITUTED = /^\$[A-Z][A-Z0-9_]*(\[.*\])?$/

const Text = z
  .union([z.string(), z.number()], 'takes text or a number')
  .nullish()
  .transform((value) => {
    const text = value === null || value === undefined ? undefined : String(value).trim()
    return text === undefined || text === '' || UNSUBSTITUTED.test(text) ? undefined : text
  })

/** The payload of our template for the Datadog webhook, and what Datadog sends without one; other members are not looked at. */
export const DatadogPayload = z.object({
  title: Text,
  body: Text,
  alert_id: Text,
  transition: Text,
  priority: Text,
  tags: Text,
  cycle_key: Text,
  aggreg_key: Text,
  link: Text,
  /** milliseconds since the epoch, in the default payload */
  date: Text,
})
export type DatadogPayload = z.output<typeof DatadogPayload>
