import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { DEFAULT_WORKSPACE_ID } from '#core/id.ts'
import type { Ingress } from '#core/ingress/ingress.ts'
import { VerifySpec } from '#core/ingress/verify-schema.ts'
import { createIngressAuthenticator } from '#platform/ingress/ingress-authenticator.ts'
import type { Proof } from '#platform/ingress/signed-delivery.ts'
import { type Sending, signers } from '../../../support/webhook-signers.ts'

const NOW_S = 1_800_000_000
const SECRET = `whsec_${Buffer.from('a secret of thirty-two bytes ...').toString('base64')}`
const OLD_SECRET = `whsec_${Buffer.from('the one that was used before ...').toString('base64')}`
const OTHER_SECRET = `whsec_${Buffer.from('of somebody whom nobody knows ..').toString('base64')}`
const RUNS = { numRuns: 300 }

interface Scheme {
  verify: object
  sign(sending: Sending): Record<string, string>
  /** the headers without which nothing is believed */
  needs: string[]
  timed: boolean
  /** what the sender signs is the body; a bearer token says nothing about it */
  signsBody: boolean
}

const secret = ['env:NEW', 'env:OLD']
const SCHEMES: Record<string, Scheme> = {
  'standard-webhooks': {
    verify: { scheme: 'standard-webhooks', secret },
    sign: signers.standard,
    needs: ['webhook-id', 'webhook-timestamp', 'webhook-signature'],
    timed: true,
    signsBody: true,
  },
  svix: {
    verify: { scheme: 'svix', secret },
    sign: signers.svix,
    needs: ['svix-id', 'svix-timestamp', 'svix-signature'],
    timed: true,
    signsBody: true,
  },
  github: {
    verify: { scheme: 'github', secret },
    sign: signers.github,
    needs: ['x-hub-signature-256'],
    timed: false,
    signsBody: true,
  },
  stripe: {
    verify: { scheme: 'stripe', secret },
    sign: signers.stripe,
    needs: ['stripe-signature'],
    timed: true,
    signsBody: true,
  },
  slack: {
    verify: { scheme: 'slack', secret },
    sign: signers.slack,
    needs: ['x-slack-request-timestamp', 'x-slack-signature'],
    timed: true,
    signsBody: true,
  },
  pagerduty: {
    verify: { scheme: 'pagerduty', secret },
    sign: signers.pagerduty,
    needs: ['x-pagerduty-signature'],
    timed: false,
    signsBody: true,
  },
  grafana: {
    verify: { scheme: 'grafana', secret },
    sign: signers.grafana,
    needs: ['x-grafana-alerting-signature'],
    timed: false,
    signsBody: true,
  },
  'grafana with a timestamp': {
    verify: { scheme: 'grafana', secret, timestamp_header: 'X-Grafana-Time' },
    sign: signers.grafanaTimed,
    needs: ['x-grafana-alerting-signature', 'x-grafana-time'],
    timed: true,
    signsBody: true,
  },
  'hmac with everything': {
    verify: {
      scheme: 'hmac',
      secret,
      header: 'X-Sign',
      algorithm: 'sha512',
      encoding: 'base64url',
      prefix: 'sig ',
      template: '{id}~{timestamp}~{body}',
      timestamp_header: 'X-Time',
      id_header: 'X-Id',
    },
    sign: signers.hmac,
    needs: ['x-sign', 'x-time', 'x-id'],
    timed: true,
    signsBody: true,
  },
  'hmac over the body': {
    verify: { scheme: 'hmac', secret, header: 'X-Sign', algorithm: 'sha1', encoding: 'base64' },
    sign: signers.hmacPlain,
    needs: ['x-sign'],
    timed: false,
    signsBody: true,
  },
  bearer: {
    verify: { scheme: 'bearer', secret },
    sign: signers.bearer,
    needs: ['authorization'],
    timed: false,
    signsBody: false,
  },
}

const authenticator = createIngressAuthenticator({
  packs: { list: () => [] },
  env: { NEW: SECRET, OLD: OLD_SECRET },
  egress: { request: () => Promise.reject(new Error('nothing here goes out')) },
  now: () => NOW_S * 1_000,
})

function ingressOf(verify: object): Ingress {
  const normalize = { service: '"a"', symptom: '"b"', labels: {}, annotations: {} }
  return { pack: 'demo', name: 'hook', enabled: true, verify: VerifySpec.parse(verify), normalize, rules: [] }
}

/** The proof, or nothing when the delivery is refused as unauthenticated; any other failure is thrown. */
async function attempt(verify: object, body: Uint8Array, headers: Headers): Promise<Proof | undefined> {
  return await authenticator.open(ingressOf(verify), { body, headers }, DEFAULT_WORKSPACE_ID).then(
    ({ proof }) => proof,
    (error: unknown) => {
      expect(error).toMatchObject({ code: 'unauthenticated' })
      return undefined
    },
  )
}

/** Payloads with what changes on its way: every kind of text, byte order marks, and both kinds of line ends. */
const bodies = fc
  .tuple(
    fc.constantFrom('', '\uFEFF'),
    fc.dictionary(fc.string({ unit: 'binary' }), fc.string({ unit: 'grapheme', minLength: 1 }), {
      minKeys: 1,
      maxKeys: 5,
    }),
    fc.constantFrom('\n', '\r\n', ' '),
  )
  .map(([mark, fields, end]) => Buffer.from(`${mark}${JSON.stringify({ ...fields, ü: 'Größe ✓' }, null, 1)}${end}`))
const sendings = fc.record({
  body: bodies,
  id: fc.stringMatching(/^[A-Za-z0-9_-]{1,60}$/),
  skew: fc.integer({ min: -299, max: 299 }),
})

describe.each(Object.entries(SCHEMES))('%s', (name, { verify, sign, needs, timed, signsBody }) => {
  const signed = (sending: Sending) => new Headers(sign(sending))

  it('accepts what is signed with one of the two live secrets', async () => {
    await fc.assert(
      fc.asyncProperty(sendings, fc.constantFrom(SECRET, OLD_SECRET), async ({ body, id, skew }, secret) => {
        const proof = await attempt(verify, body, signed({ body, id, secret, at_s: NOW_S + skew }))
        expect(proof?.key).toMatch(/^(id|sha256):/)
      }),
      RUNS,
    )
  })

  it('refuses the signature of another secret', async () => {
    await fc.assert(
      fc.asyncProperty(sendings, async ({ body, id }) => {
        expect(await attempt(verify, body, signed({ body, id, secret: OTHER_SECRET, at_s: NOW_S }))).toBeUndefined()
      }),
      RUNS,
    )
  })

  it('refuses a delivery without, or with two of, any header that it needs', async () => {
    await fc.assert(
      fc.asyncProperty(sendings, fc.constantFrom(...needs), async ({ body, id }, header) => {
        const sending = { body, id, secret: SECRET, at_s: NOW_S }
        const missing = signed(sending)
        missing.delete(header)
        expect(await attempt(verify, body, missing)).toBeUndefined()
        const empty = signed(sending)
        empty.set(header, '')
        expect(await attempt(verify, body, empty)).toBeUndefined()
        const twice = signed(sending)
        twice.append(header, twice.get(header) ?? '')
        expect(await attempt(verify, body, twice)).toBeUndefined()
        const beside = signed(sending)
        beside.append(header, signed({ ...sending, secret: OTHER_SECRET }).get(header) ?? '')
        expect(await attempt(verify, body, beside)).toBeUndefined()
      }),
      RUNS,
    )
  })

  it('refuses a delivery that is signed by another scheme with the same secret', async () => {
    const others = Object.entries(SCHEMES).filter(([other]) => other !== name)
    await fc.assert(
      fc.asyncProperty(sendings, fc.constantFrom(...others), async ({ body, id }, [, other]) => {
        const headers = new Headers(other.sign({ body, id, secret: SECRET, at_s: NOW_S }))
        expect(await attempt(verify, body, headers)).toBeUndefined()
      }),
      RUNS,
    )
  })

  if (signsBody)
    it('refuses a body with one bit changed, one byte less or more, or in another encoding', async () => {
      await fc.assert(
        fc.asyncProperty(sendings, fc.nat(), fc.nat(7), async ({ body, id }, place, bit) => {
          const headers = signed({ body, id, secret: SECRET, at_s: NOW_S })
          const changed = Buffer.from(body)
          const at = place % body.length
          changed[at] = (changed[at] ?? 0) ^ (1 << bit)
          const forgeries = [
            changed,
            body.subarray(0, -1),
            body.subarray(1),
            Buffer.concat([body, Buffer.from(' ')]),
            ...reencoded(body),
          ]
          for (const forged of forgeries) expect(await attempt(verify, forged, headers)).toBeUndefined()
        }),
        RUNS,
      )
    })

  if (timed)
    it('refuses a time that is more than 300 seconds away, also where it is signed', async () => {
      await fc.assert(
        fc.asyncProperty(sendings, fc.integer({ min: 301, max: 1e9 }), async ({ body, id }, away) => {
          for (const at_s of [NOW_S - away, NOW_S + away]) {
            expect(await attempt(verify, body, signed({ body, id, secret: SECRET, at_s }))).toBeUndefined()
          }
        }),
        RUNS,
      )
    })

  if (timed)
    it('refuses an old delivery under a new time', async () => {
      await fc.assert(
        fc.asyncProperty(sendings, async ({ body, id }) => {
          const sent = Object.entries(sign({ body, id, secret: SECRET, at_s: NOW_S - 400 }))
          const fresh = new Headers(
            sent.map(([header, value]) => [header, value.replace(String(NOW_S - 400), String(NOW_S))]),
          )
          expect(await attempt(verify, body, fresh)).toBeUndefined()
        }),
        RUNS,
      )
    })
})

/** The same JSON as other bytes. */
function reencoded(body: Buffer): Buffer[] {
  const text = body.toString()
  const bare = text.replace(/^\uFEFF/, '')
  const forms = [
    JSON.stringify(JSON.parse(bare)),
    bare === text ? `\uFEFF${text}` : bare,
    text.includes('\r\n') ? text.replaceAll('\r\n', '\n') : text.replaceAll('\n', '\r\n'),
    text.replaceAll('ü', '\\u00fc'),
  ]
  return [...forms.map((form) => Buffer.from(form)), Buffer.from(text, 'utf16le'), Buffer.from(text, 'latin1')]
}

describe('every scheme', () => {
  it('closes its ingress while one of its secrets is missing, and does not tell strangers which', async () => {
    for (const { verify, sign } of Object.values(SCHEMES)) {
      const body = Buffer.from('{}')
      const headers = new Headers(sign({ body, id: 'one', secret: SECRET, at_s: NOW_S }))
      const opened = authenticator.open(
        ingressOf({ ...verify, secret: ['env:NEW', 'env:GONE'] }),
        { body, headers },
        DEFAULT_WORKSPACE_ID,
      )
      await expect(opened).rejects.toMatchObject({
        code: 'not_configured',
        message: expect.not.stringContaining('GONE'),
      })
    }
  })

  it('tells repeats by an id only where that is signed, else by what is', async () => {
    const key = async (scheme: string, sending: Partial<Sending>) => {
      const { verify, sign } = SCHEMES[scheme] ?? {}
      const whole = { body: Buffer.from('{"a":1}'), id: 'one', secret: SECRET, at_s: NOW_S, ...sending }
      return (await attempt(verify ?? {}, whole.body, new Headers(sign?.(whole))))?.key
    }
    for (const scheme of ['standard-webhooks', 'svix', 'hmac with everything']) {
      expect(await key(scheme, {})).toBe('id:one')
      expect(await key(scheme, { body: Buffer.from('{"a":2}'), at_s: NOW_S + 1 })).toBe('id:one')
    }
    for (const scheme of ['github', 'grafana', 'pagerduty', 'hmac over the body', 'bearer']) {
      expect(await key(scheme, { id: 'two', at_s: NOW_S + 1 })).toBe(await key(scheme, {}))
      expect(await key(scheme, { body: Buffer.from('{"a":2}') })).not.toBe(await key(scheme, {}))
    }
    expect(await key('stripe', { body: Buffer.from('{"id":"evt_1","a":1}'), at_s: NOW_S + 9 })).toBe('id:evt_1')
    expect(await key('slack', { body: Buffer.from('{"event_id":"Ev1"}') })).toBe('id:Ev1')
    expect(await key('pagerduty', { body: Buffer.from('{"event":{"id":"01ABC"}}') })).toBe('id:01ABC')
  })
})
