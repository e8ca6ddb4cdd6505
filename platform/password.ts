import { randomBytes } from 'node:crypto'
import { hash, type Options, verify } from '@node-rs/argon2'

/** Cost of one guess: argon2id (the library's default) with 19 MiB, two passes, one thread (OWASP Password Storage). */
const COST: Options = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }

/** Hashes as PHC strings. */
export interface Passwords {
  hash(password: string): Promise<string>
  verify(hash: string, password: string): Promise<boolean>
  /** a hash without a known password, of the usual cost: a sign-in without a user is compared with it */
  decoy(): Promise<string>
}

/** Passwords as argon2id hashes; equal texts in different Unicode forms are one password (NIST SP 800-63B). */
export function createPasswords(): Passwords {
  let decoy: Promise<string> | undefined
  return {
    hash: (password) => hash(password.normalize('NFKC'), COST),
    verify: (known, password) => verify(known, password.normalize('NFKC')),
    decoy() {
      decoy ??= hash(randomBytes(32), COST)
      return decoy
    },
  }
}
