import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { errors, type JWTPayload, jwtVerify, SignJWT } from 'jose'
import { isLoopback } from '#core/egress/classify.ts'
import { bareHost } from '#core/egress/url.ts'
import type { Clock } from '#core/time/time.ts'
import type { Channel } from './notify/channel-kind.ts'
import { deriveKey } from './sealing.ts'

const ALGORITHM = 'HS256'
const TYPE = 'svc-link'
const SCOPE = 'decide'
/** Crockford's alphabet: nothing in it can be mistaken for something else */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
const CODE_CHARS = 6
const NONCE_BYTES = 16

interface Claims {
  jti: string
  gate_id: string
  plan_hash: string
  recipient: string
  exp: number
}

/** Magic links as compact JWS (RFC 7515, HS256); codes and nonces are MACs under the same derived key. */
export function createLinks(options: { master_key: string; clock: Clock }) {
  const key = deriveKey(options.master_key, 'links')
  const mac = (what: string, text: string) => createHmac('sha256', key).update(`${what}:${text}`).digest()
  const code = (jti: string) =>
    [...mac('code', jti).subarray(0, CODE_CHARS)].map((byte) => ALPHABET[byte % ALPHABET.length]).join('')
  const sealed = (jti: string, random: string) => `${random}.${mac('nonce', `${jti}:${random}`).toString('base64url')}`

  return {
    async mint({ exp, jti, ...claims }: Claims): Promise<string> {
      return await new SignJWT({ ...claims, scope: SCOPE })
        .setProtectedHeader({ alg: ALGORITHM, typ: TYPE })
        .setJti(jti)
        .setExpirationTime(exp)
        .sign(key)
    },

    async read(token: string): Promise<{ kind: 'sound' | 'expired'; claims: Claims } | { kind: 'forged' }> {
      try {
        const { payload } = await jwtVerify(token, key, {
          algorithms: [ALGORITHM],
          typ: TYPE,
          currentDate: new Date(options.clock()),
          requiredClaims: ['exp', 'jti', 'gate_id', 'plan_hash', 'recipient', 'scope'],
        })
        return asRead('sound', payload)
      } catch (error) {
        if (error instanceof errors.JWTExpired) return asRead('expired', error.payload)
        if (error instanceof errors.JOSEError) return { kind: 'forged' }
        throw error
      }
    },

    code,
    isCode: (jti: string, given: string) => isSame(code(jti), given),
    bind: (jti: string, text: string) => `${text}~${mac('kept', `${jti}:${text}`).toString('base64url')}`,
    bound(jti: string, given: string): string | undefined {
      const text = given.slice(0, given.lastIndexOf('~'))
      return isSame(this.bind(jti, text), given) ? text : undefined
    },
    nonce: (jti: string) => sealed(jti, randomBytes(NONCE_BYTES).toString('base64url')),
    isNonce: (jti: string, given: string) => isSame(sealed(jti, given.split('.', 1)[0] ?? ''), given),
  }
}

function asRead(kind: 'sound' | 'expired', payload: JWTPayload) {
  const { jti, exp, scope } = payload
  const [gate_id, plan_hash, recipient] = [payload['gate_id'], payload['plan_hash'], payload['recipient']]
  if (scope !== SCOPE || jti === undefined || exp === undefined) return { kind: 'forged' as const }
  if (typeof gate_id !== 'string' || typeof plan_hash !== 'string' || typeof recipient !== 'string')
    return { kind: 'forged' as const }
  return { kind, claims: { jti, exp, gate_id, plan_hash, recipient } }
}

/** Constant time for texts of equal length. */
function isSame(expected: string, given: string): boolean {
  const [a, b] = [Buffer.from(expected), Buffer.from(given)]
  return a.length === b.length && timingSafeEqual(a, b)
}

/** Returns why people cannot follow the links in messages: they point to this machine, and channels reach others. */
export function linkProblem(
  publicUrl: string,
  channels: readonly Pick<Channel, 'name' | 'host'>[],
): string | undefined {
  if (!isLoopback(bareHost(new URL(publicUrl).hostname))) return undefined
  const remote = channels.filter(({ host }) => !isLoopback(bareHost(host))).map(({ name }) => name)
  if (remote.length === 0) return undefined
  return `links in the messages of ${remote.join(', ')} lead to ${publicUrl}, which works on this machine alone: set SVC_PUBLIC_URL to the address under which people reach it`
}
