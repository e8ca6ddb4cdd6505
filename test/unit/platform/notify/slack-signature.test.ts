import { createHmac } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { verifySlackSignature } from '#platform/notify/slack-fetch.ts'

const NOW = 1_531_420_618_000
/** The example of the documentation of Slack. */
const DOCUMENTED = {
  secret: '8f742231b10e8888abcd99yyyzzz85a5',
  timestamp: '1531420618',
  signature: 'v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503',
  body: 'token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V&channel_name=foobar&user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text=&response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN&trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c',
}

const sign = (secret: string, timestamp: string, body: string) =>
  `v0=${createHmac('sha256', secret).update(`v0:${timestamp}:${body}`).digest('hex')}`

describe('verifySlackSignature', () => {
  const { secret, timestamp, signature, body } = DOCUMENTED

  it('accepts what Slack signed', () => {
    expect(verifySlackSignature([secret], { timestamp, signature }, body, NOW)).toBe(true)
    expect(verifySlackSignature([secret], { timestamp, signature }, Buffer.from(body), NOW)).toBe(true)
  })

  it('accepts every live secret', () => {
    expect(verifySlackSignature(['new', secret], { timestamp, signature }, body, NOW)).toBe(true)
  })

  it('refuses a changed body, another secret, and no secret at all', () => {
    expect(verifySlackSignature([secret], { timestamp, signature }, `${body}&x=1`, NOW)).toBe(false)
    expect(verifySlackSignature(['other'], { timestamp, signature }, body, NOW)).toBe(false)
    expect(verifySlackSignature([], { timestamp, signature }, body, NOW)).toBe(false)
  })

  it('an empty secret signs nothing', () => {
    expect(verifySlackSignature([''], { timestamp, signature: sign('', timestamp, body) }, body, NOW)).toBe(false)
  })

  it('refuses what is older or newer than five minutes', () => {
    for (const [age_ms, expected] of [
      [300_000, true],
      [300_001, false],
      [-300_000, true],
      [-300_001, false],
    ] as const) {
      expect(verifySlackSignature([secret], { timestamp, signature }, body, NOW + age_ms)).toBe(expected)
    }
  })

  it.each(['', 'NaN', '1531420618.0', ' 1531420618', '-1', '1e9', '9'.repeat(400)])(
    'refuses the timestamp %j, even signed',
    (odd) => {
      const headers = { timestamp: odd, signature: sign(secret, odd, body) }
      expect(verifySlackSignature([secret], headers, body, NOW)).toBe(false)
    },
  )

  it('refuses a missing or shortened signature', () => {
    expect(verifySlackSignature([secret], { timestamp, signature: undefined }, body, NOW)).toBe(false)
    expect(verifySlackSignature([secret], { timestamp: undefined, signature }, body, NOW)).toBe(false)
    expect(verifySlackSignature([secret], { timestamp, signature: signature.slice(0, -1) }, body, NOW)).toBe(false)
    expect(verifySlackSignature([secret], { timestamp, signature: 'v0=ü' }, body, NOW)).toBe(false)
  })
})
