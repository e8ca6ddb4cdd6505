import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { OperatorError } from '#core/operator.ts'
import { createSnsCertificates } from '#platform/ingress/sns-certificates.ts'
import { verifySns } from '#platform/ingress/verify-sns.ts'
import { selfSigned } from '../../../support/self-signed.ts'
import { snsMessage } from '../../../support/webhook-signers.ts'

const NOW = Date.parse('2026-06-01T12:00:00.000Z')
const TOPIC = 'arn:aws:sns:eu-central-1:123456789012:alarms'
const URL_OF_KEY = 'https://sns.eu-central-1.amazonaws.com/SimpleNotificationService-abc123.pem'
const valid = { from: new Date('2026-01-01T00:00:00Z'), to: new Date('2027-01-01T00:00:00Z') }
const { certificate, private_key } = selfSigned('sns.amazonaws.com', valid)
const stranger = selfSigned('sns.amazonaws.com', valid)

/** The network of these tests: one address answers. */
function network(answer = { status: 200, body: certificate }) {
  const asked: string[] = []
  const request = async ({ url, egress, max_redirects }: { url: string; egress: string[]; max_redirects?: number }) => {
    expect({ egress, max_redirects }).toEqual({ egress: [], max_redirects: 0 })
    asked.push(url)
    return {
      status: answer.status,
      headers: {},
      body: Buffer.from(answer.body),
      remote_address: '',
      ms: 1,
      redirects: [],
    }
  }
  return { asked, request }
}

const fields = (changes: Record<string, string> = {}) => ({
  Type: 'Notification',
  MessageId: '22b80b92-fdea-4c2c-8f9d-bdfb0c7bf324',
  TopicArn: TOPIC,
  Message: '{"AlarmName":"High"}',
  Timestamp: new Date(NOW - 60_000).toISOString(),
  ...changes,
})
const signed = (changes = {}, { key = private_key, version = '2' as '1' | '2', url = URL_OF_KEY } = {}) =>
  snsMessage({ key, version, url }, fields(changes))

async function attempt(body: string | Buffer, type = 'Notification', at = NOW, net = network()) {
  const delivery = { body: Buffer.from(body), headers: new Headers({ 'x-amz-sns-message-type': type }) }
  return await verifySns(
    [TOPIC],
    delivery,
    createSnsCertificates(net, () => at),
    at,
  )
}

const texts = fc.record({
  Message: fc.string({ unit: 'grapheme' }).map((text) => `\uFEFF${text}\r\n✓`),
  Subject: fc.stringMatching(/^[A-Za-z ]{1,50}$/),
})

describe('a message of Amazon SNS', () => {
  it('is accepted in both versions of the signature, and only what is signed of it is believed', async () => {
    await fc.assert(
      fc.asyncProperty(texts, fc.constantFrom('1' as const, '2' as const), async (changes, version) => {
        const whole = {
          ...JSON.parse(signed(changes, { version })),
          MessageAttributes: { evil: 'x' },
          UnsubscribeURL: 'x',
        }
        const proof = await attempt(JSON.stringify(whole))
        expect(proof).toEqual({
          key: 'id:22b80b92-fdea-4c2c-8f9d-bdfb0c7bf324',
          provider_delivery_id: '22b80b92-fdea-4c2c-8f9d-bdfb0c7bf324',
          signed: fields(changes),
        })
      }),
      { numRuns: 300 },
    )
  })

  it('is refused with any signed member changed, left out or added', async () => {
    await fc.assert(
      fc.asyncProperty(
        texts,
        fc.constantFrom('Message', 'MessageId', 'Subject', 'Timestamp', 'TopicArn', 'Type'),
        async (changes, name) => {
          const message = JSON.parse(signed(changes))
          expect(await attempt(JSON.stringify({ ...message, [name]: `${message[name]}x` }))).toBeUndefined()
          expect(await attempt(JSON.stringify({ ...message, [name]: undefined }))).toBeUndefined()
          const { Subject: _none, ...without } = changes
          expect(await attempt(JSON.stringify({ ...JSON.parse(signed(without)), Subject: 'added' }))).toBeUndefined()
        },
      ),
      { numRuns: 300 },
    )
  })

  it('is refused from another topic, under another key, too old or from the future, and of an unknown version', async () => {
    expect(await attempt(signed({ TopicArn: `${TOPIC}2` }))).toBeUndefined()
    expect(await attempt(signed({}, { key: stranger.private_key }))).toBeUndefined()
    expect(await attempt(signed({ Timestamp: new Date(NOW - 6 * 3_600_000 - 1).toISOString() }))).toBeUndefined()
    expect(await attempt(signed({ Timestamp: new Date(NOW + 300_001).toISOString() }))).toBeUndefined()
    expect(await attempt(JSON.stringify({ ...JSON.parse(signed()), SignatureVersion: '3' }))).toBeUndefined()
    expect(await attempt(signed(), 'SubscriptionConfirmation')).toBeUndefined()
    expect(await attempt(signed(), 'Notification, Notification')).toBeUndefined()
    expect(await attempt('null')).toBeUndefined()
    expect(await attempt('not JSON')).toBeUndefined()
  })

  it('cannot be cut into members in another way than it was signed', async () => {
    const message = JSON.parse(signed({ Message: 'a\nMessageId\n00000000-0000-0000-0000-000000000000\nSubject\nb' }))
    const recut = { ...message, Message: 'a', MessageId: '00000000-0000-0000-0000-000000000000' }
    const Subject = `b\nMessageId\n${message.MessageId}`
    expect(await attempt(JSON.stringify(message))).toBeDefined()
    expect(await attempt(JSON.stringify({ ...recut, Subject }))).toBeUndefined()
  })

  it('that asks for a confirmation is sound and carries the address for a person', async () => {
    const confirm_url = 'https://sns.eu-central-1.amazonaws.com/?Action=ConfirmSubscription'
    const body = signed({ Type: 'SubscriptionConfirmation', Token: 'abc', SubscribeURL: confirm_url })
    const net = network()
    expect(await attempt(body, 'SubscriptionConfirmation', NOW, net)).toMatchObject({ confirm_url })
    expect(net.asked).toEqual([URL_OF_KEY])
  })
})

describe('the certificate', () => {
  it('is fetched from the hosts of SNS alone', async () => {
    const elsewhere = [
      'http://sns.eu-central-1.amazonaws.com/SimpleNotificationService-abc.pem',
      'https://sns.eu-central-1.amazonaws.com.evil.test/SimpleNotificationService-abc.pem',
      'https://evil.test/SimpleNotificationService-abc.pem',
      'https://sns.eu-central-1.amazonaws.com@evil.test/SimpleNotificationService-abc.pem',
      'https://sns.eu-central-1.amazonaws.com:8443/SimpleNotificationService-abc.pem',
      'https://bucket.s3.amazonaws.com/SimpleNotificationService-abc.pem',
      'https://sns.eu-central-1.amazonaws.com/?Action=GetTopicAttributes',
      'https://sns.eu-central-1.amazonaws.com/other.pem',
      'file:///etc/passwd',
      '',
    ]
    const net = network()
    for (const url of elsewhere) expect(await attempt(signed({}, { url }), 'Notification', NOW, net)).toBeUndefined()
    expect(net.asked).toEqual([])
  })

  it('is fetched once, and again after a failure, which is not the sender’s fault', async () => {
    const net = network()
    const certificates = createSnsCertificates(net, () => NOW)
    await Promise.all([certificates.find(URL_OF_KEY), certificates.find(URL_OF_KEY)])
    await certificates.find(URL_OF_KEY)
    expect(net.asked).toHaveLength(1)
    let isDown = true
    const flaky = createSnsCertificates(
      {
        request: (request) =>
          isDown ? Promise.reject(new OperatorError('unreachable', 'down')) : net.request(request),
      },
      () => NOW,
    )
    await expect(flaky.find(URL_OF_KEY)).rejects.toMatchObject({ code: 'dependency_unavailable' })
    isDown = false
    expect(await flaky.find(URL_OF_KEY)).toBeDefined()
    await expect(attempt(signed(), 'Notification', NOW, network({ status: 302, body: '' }))).rejects.toMatchObject({
      code: 'dependency_unavailable',
    })
  })

  it('counts only while it is valid', async () => {
    for (const at of [Date.parse('2025-12-31T23:00:00Z'), Date.parse('2027-01-01T01:00:00Z')]) {
      expect(await attempt(signed({ Timestamp: new Date(at).toISOString() }), 'Notification', at)).toBeUndefined()
    }
  })
})
