import { describe, expect, it } from 'vitest'
import { fileFixture, testDatabase } from '#test/support/file-fixture.ts'
import {
  createIngressApi,
  deployment,
  order,
  post,
  publish,
  runsOf,
  SECRETS,
  send,
  signedBySlack,
  TOPIC,
} from '#test/support/ingress.ts'

const FORM = '/triggers/ingress/sre/form'

const database = testDatabase()
const api = fileFixture(() => createIngressApi(database))

it('the exact bytes are verified: a byte order mark and line ends count', async () => {
  const answer = await post(api, `\uFEFF${deployment({ service: 'bytes' })}\r\n`)
  expect(answer).toMatchObject({ status: 202, body: { outcome: 'started' } })
})

it('the new and the old of two secrets sign, and no other', async () => {
  for (const secret of [SECRETS.new, SECRETS.old]) {
    expect(await order(api, '{"service":"rotated"}', secret)).toMatchObject({
      status: 202,
      body: { outcome: expect.stringMatching(/^(started|attached)$/) },
    })
  }
  const other = `whsec_${Buffer.from('of somebody whom nobody knows ..').toString('base64')}`
  expect((await order(api, '{"service":"rotated"}', other)).status).toBe(401)
})

describe('what is not JSON by its type', () => {
  it('is read as a form, with its payload', async () => {
    const payload = JSON.stringify({ service: 'form & field' })
    const body = `command=%2Fdeploy&payload=${encodeURIComponent(payload)}`
    const headers = { 'content-type': 'application/x-www-form-urlencoded', ...signedBySlack(body) }
    expect(await send(api, FORM, body, headers)).toMatchObject({ body: { outcome: 'started' } })
    expect(await runsOf(database, 'form & field|/deploy')).toHaveLength(1)
    expect((await send(api, FORM, `${body}&command=other`, headers)).status).toBe(401)
  })

  it('is read as a message of SNS, of which only the signed part counts; a subscription is never confirmed', async () => {
    const alarm = { Type: 'Notification', Message: JSON.stringify({ AlarmName: 'queue-depth' }) }
    expect(await publish(api, alarm, { unsigned: { Extra: 'Forged' } })).toMatchObject({
      status: 202,
      body: { outcome: 'started' },
    })
    expect(await runsOf(database, 'queue-depth|alarm')).toHaveLength(1)
    expect((await publish(api, { ...alarm, TopicArn: `${TOPIC}-of-others` })).status).toBe(401)
    const SubscribeURL = 'https://sns.eu-central-1.amazonaws.com/?Action=ConfirmSubscription&Token=abc'
    const asked = await publish(api, {
      Type: 'SubscriptionConfirmation',
      Message: 'Confirm',
      Token: 'abc',
      SubscribeURL,
    })
    expect(asked).toMatchObject({ status: 202, body: { outcome: 'suppressed' } })
    expect(api.lines).toContainEqual(
      expect.objectContaining({ fields: { ingress: 'sre/alarms', confirm_url: SubscribeURL } }),
    )
  })

  it('is what GitHub sends by its default: the payload of the form is the body', async () => {
    const deployment = (environment: string, state: string) => ({
      deployment: { environment, sha: 'abc' },
      deployment_status: { state, environment_url: 'https://shop.example.test' },
      repository: { full_name: 'acme/form' },
    })
    const body = (payload: object) => `payload=${encodeURIComponent(JSON.stringify(payload))}`
    const type = 'application/x-www-form-urlencoded'
    const failed = await post(api, body(deployment('live', 'failure')), { headers: { 'content-type': type } })
    expect(failed).toMatchObject({ status: 202, body: { outcome: 'started' } })
    const pending = await post(api, body(deployment('live', 'pending')), { headers: { 'content-type': type } })
    expect(pending.body).toMatchObject({ outcome: 'suppressed', stopped_at: 'when' })
    expect(JSON.stringify(pending.body)).not.toContain('deployment_status')
    const listed = await api.get('/triggers/deliveries')
    const [last] = (await listed.json()) as { stages: { stage: string; detail?: string }[] }[]
    expect(last?.stages.find(({ stage }) => stage === 'when')?.detail).toContain(
      'its `when` is not true: has(body.deployment_status)',
    )
  })

  it('is refused otherwise', async () => {
    const answer = await post(api, '<a/>', { headers: { 'content-type': 'application/xml' } })
    expect(answer).toMatchObject({
      status: 415,
      body: {
        code: 'unsupported_media_type',
        detail: 'This content type is not taken here: set it to application/json.',
      },
    })
  })
})

describe('an address that is new to Slack', () => {
  const asked = JSON.stringify({ token: 'old', challenge: '3eZbrw1aBm2rZgRNFdxV', type: 'url_verification' })

  it('is verified by its challenge, as often as Slack asks, and nothing is started or kept', async () => {
    const kept = async () => (await database.db`select from ingress_deliveries`).length
    const before = await kept()
    for (let n = 0; n < 2; n++) {
      const answer = await send(api, FORM, asked, signedBySlack(asked))
      expect(answer.status).toBe(200)
      expect(answer.body).toEqual({ challenge: '3eZbrw1aBm2rZgRNFdxV' })
    }
    expect(await kept()).toBe(before)
  })

  it('is not verified for a stranger, and no other scheme or type answers a challenge', async () => {
    expect((await send(api, FORM, asked, {})).status).toBe(401)
    expect((await send(api, FORM, asked, signedBySlack(asked, 'of somebody else'))).status).toBe(401)
    expect((await post(api, asked)).body).toMatchObject({ outcome: 'suppressed' })
    for (const body of ['{"type":"event_callback","challenge":"x"}', '{"type":"url_verification","challenge":1}']) {
      expect(await send(api, FORM, body, signedBySlack(body))).toMatchObject({
        status: 202,
        body: { outcome: 'unmatched' },
      })
    }
  })
})
