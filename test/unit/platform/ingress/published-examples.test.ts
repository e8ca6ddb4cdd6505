import { describe, expect, it } from 'vitest'
import { verifyStandardWebhook } from '#platform/ingress/standard-webhooks.ts'
import {
  verifyGithub,
  verifyGrafana,
  verifyPagerduty,
  verifySlack,
  verifyStripe,
} from '#platform/ingress/verify-hmac.ts'

const delivery = (body: string, headers: Record<string, string>) => ({
  body: Buffer.from(body),
  headers: new Headers(headers),
})

/** Values that the senders publish themselves, so that agreeing with our own signer is not all that is shown. */
describe('the examples that senders publish', () => {
  it('of GitHub: its page on validating deliveries', () => {
    const signature = 'sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17'
    const secrets = ["It's a Secret to Everybody"]
    expect(verifyGithub(secrets, delivery('Hello, World!', { 'x-hub-signature-256': signature }))).toBeDefined()
    expect(verifyGithub(secrets, delivery('Hello, World?', { 'x-hub-signature-256': signature }))).toBeUndefined()
  })

  it('of Slack: its page on verifying requests', () => {
    const body =
      'token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V&channel_name=foobar&user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text=&response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN&trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c'
    const headers = {
      'x-slack-request-timestamp': '1531420618',
      'x-slack-signature': 'v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503',
    }
    const secrets = ['8f742231b10e8888abcd99yyyzzz85a5']
    expect(verifySlack(secrets, delivery(body, headers), 1_531_420_618_000)).toBeDefined()
    expect(verifySlack(secrets, delivery(body, headers), 1_531_420_919_000)).toBeUndefined()
  })

  const standard = {
    'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    'webhook-timestamp': '1614265330',
  }
  const STANDARD_BODY = '{"test": 2432232314}'

  it('of Standard Webhooks, v1: the test of its libraries', () => {
    const headers = { ...standard, 'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=' }
    const secrets = ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw']
    const proof = verifyStandardWebhook('webhook', secrets, delivery(STANDARD_BODY, headers), 1_614_265_330_000)
    expect(proof).toEqual({ key: 'id:msg_p5jXN8AQM9LWM0D4loKWxJek', provider_delivery_id: standard['webhook-id'] })
    expect(
      verifyStandardWebhook('webhook', secrets, delivery(STANDARD_BODY, headers), 1_614_265_631_000),
    ).toBeUndefined()
    expect(verifyStandardWebhook('svix', secrets, delivery(STANDARD_BODY, headers), 1_614_265_330_000)).toBeUndefined()
  })

  it('of Standard Webhooks, v1a: the test of the Svix server', () => {
    const signature = 'v1a,hnO3f9T8Ytu9HwrXslvumlUpqtNVqkhqw/enGzPCXe5BdqzCInXqYXFymVJaA7AZdpXwVLPo3mNl8EM+m7TBAg=='
    const secrets = ['whpk_1SiA4o9hyqTCpIqC5V9HUakiiaeACeqfZTInDBbOir4=']
    const headers = { ...standard, 'webhook-signature': `v1,AAAA ${signature}` }
    const at = (ms: number, body = STANDARD_BODY, keys = secrets) =>
      verifyStandardWebhook('webhook', keys, delivery(body, headers), ms)
    expect(at(1_614_265_330_000)).toBeDefined()
    expect(at(1_614_265_330_000, '{"test": 2432232315}')).toBeUndefined()
    expect(at(1_614_265_631_000)).toBeUndefined()
    expect(at(1_614_265_330_000, STANDARD_BODY, ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'])).toBeUndefined()
    expect(() => at(1_614_265_330_000, STANDARD_BODY, ['whpk_AAAA'])).toThrow(
      expect.objectContaining({ code: 'not_configured' }),
    )
  })

  // these publish how they sign and no value: the code of RFC 4231, case 2, stands for their HMAC
  const RFC_KEY = ['Jefe']
  const RFC_TEXT = 'what do ya want for nothing?'
  const RFC_CODE = '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843'

  it('of RFC 4231 under the headers of PagerDuty and Grafana', () => {
    const header = 'x-grafana-alerting-signature'
    expect(verifyPagerduty(RFC_KEY, delivery(RFC_TEXT, { 'x-pagerduty-signature': `v1=${RFC_CODE}` }))).toBeDefined()
    expect(verifyPagerduty(RFC_KEY, delivery(RFC_TEXT, { 'x-pagerduty-signature': `v2=${RFC_CODE}` }))).toBeUndefined()
    expect(
      verifyGrafana({ scheme: 'grafana', secret: [], header }, RFC_KEY, delivery(RFC_TEXT, { [header]: RFC_CODE }), 0),
    ).toBeDefined()
  })

  it('of Stripe: other versions, two times and signatures without a time prove nothing', () => {
    for (const header of [
      `v1=${RFC_CODE}`,
      `t=0,v0=${RFC_CODE}`,
      `t=0,t=0,v1=${RFC_CODE}`,
      't=0',
      `t=0x0,v1=${RFC_CODE}`,
    ]) {
      expect(verifyStripe(RFC_KEY, delivery(RFC_TEXT, { 'stripe-signature': header }), 0)).toBeUndefined()
    }
  })
})
