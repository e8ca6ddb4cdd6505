import { describe, expect, it } from 'vitest'
import { AlertResults } from '#api/routes/triggers/receive-alerts.ts'
import { ALERT_SOURCES } from '#core/trigger/alert-sources.ts'
import { testApi } from '#test/support/api-client.ts'
import { testDatabase } from '#test/support/file-fixture.ts'
import { CLOUDWATCH_ALARM, SNS_CONFIRMATION, sns } from '../../unit/core/trigger/sources/cloudwatch-payloads.ts'
import { PAGERDUTY_PING } from '../../unit/core/trigger/sources/pagerduty-payloads.ts'

const database = testDatabase()
const api = testApi(database)

const path = '/triggers/alert'
const resultsOf = async (response: Response) => {
  expect(response.status).toBe(202)
  return AlertResults.parse(await response.json()).results
}

/** As SNS posts: JSON that calls itself text. */
const postSns = (message: object, headers: Record<string, string> = { 'x-amz-sns-message-type': 'Notification' }) =>
  api.app.request(path, {
    method: 'POST',
    headers: { 'content-type': 'text/plain; charset=UTF-8', ...headers },
    body: JSON.stringify(message),
  })

describe('POST /triggers/alert', () => {
  it.each(ALERT_SOURCES)('answers what $title sends alert by alert', async ({ example }) => {
    const [result, ...others] = await resultsOf(await api.post(path, example))
    expect(result).toMatchObject({
      outcome: 'unmatched',
      fingerprint: expect.stringContaining('|higherrorrate'),
    })
    expect(others).toEqual([])
  })

  it.each([
    ['a ping of PagerDuty', PAGERDUTY_PING],
    ['a confirmation that SNS asks for', SNS_CONFIRMATION],
    ['an alarm without enough data', sns({ ...CLOUDWATCH_ALARM, NewStateValue: 'INSUFFICIENT_DATA' })],
  ])('suppresses %s, and says why', async (_what, body) => {
    expect(await resultsOf(await api.post(path, body))).toEqual([
      { fingerprint: expect.any(String), outcome: 'suppressed', detail: expect.any(String) },
    ])
  })

  it('takes what SNS posts as text, with its header only', async () => {
    expect(await resultsOf(await postSns(sns(CLOUDWATCH_ALARM)))).toMatchObject([{ outcome: 'unmatched' }])
    const confirmation = { 'x-amz-sns-message-type': 'SubscriptionConfirmation' }
    expect(await resultsOf(await postSns(SNS_CONFIRMATION, confirmation))).toMatchObject([{ outcome: 'suppressed' }])
    expect((await postSns(sns(CLOUDWATCH_ALARM), {})).status).toBe(415)
  })

  it('refuses a topic that carries something else, and names the shapes it knows', async () => {
    const response = await api.post(path, sns('hello'))
    expect(response.status).toBe(422)
    expect(await response.json()).toMatchObject({
      code: 'unrecognised_alert',
      known: ALERT_SOURCES.map(({ name }) => name),
    })
  })
})
