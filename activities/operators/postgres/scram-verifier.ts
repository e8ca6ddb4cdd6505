import { createHash, createHmac, pbkdf2, randomBytes } from 'node:crypto'

/** the server's own default */
const ITERATIONS = 4_096

/** A password that nobody has to remember: 256 random bits, of letters, digits, `-` and `_`. */
export function newPassword(): string {
  return randomBytes(32).toString('base64url')
}

/** What a PostgreSQL server keeps of a password of ASCII (RFC 5803), computed here: the server never sees the password. */
export async function scramVerifier(password: string, salt = randomBytes(16)): Promise<string> {
  const salted = await new Promise<Buffer>((resolve, reject) =>
    pbkdf2(password, salt, ITERATIONS, 32, 'sha256', (error, key) => (error === null ? resolve(key) : reject(error))),
  )
  const keyOf = (name: string) => createHmac('sha256', salted).update(name).digest()
  const stored = createHash('sha256').update(keyOf('Client Key')).digest('base64')
  return `SCRAM-SHA-256$${ITERATIONS}:${salt.toString('base64')}$${stored}:${keyOf('Server Key').toString('base64')}`
}

/** Tells passwords apart, and says nothing else of one that is random. */
export function passwordFingerprint(password: string): string {
  return createHash('sha256').update(password).digest('hex').slice(0, 16)
}
