import { parseOptions } from '@node-rs/argon2'
import { expect, it } from 'vitest'
import { createPasswords } from '#platform/password.ts'

const passwords = createPasswords()

it('a hash is argon2id, salted, and fits its own password only', async () => {
  const [one, two] = await Promise.all([
    passwords.hash('correct horse battery'),
    passwords.hash('correct horse battery'),
  ])
  expect(one).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
  expect(one).not.toBe(two)
  expect(await passwords.verify(one, 'correct horse battery')).toBe(true)
  expect(await passwords.verify(one, 'correct horse batterz')).toBe(false)
})

it('two Unicode forms of a text are one password', async () => {
  expect(await passwords.verify(await passwords.hash('a long caf\u00e9 name'), 'a long cafe\u0301 name')).toBe(true)
})

it('the decoy costs what a real hash costs', async () => {
  const cost = (phc: string) => parseOptions(phc)
  expect(cost(await passwords.decoy())).toEqual(cost(await passwords.hash('x')))
  expect(await passwords.decoy()).toBe(await passwords.decoy())
})
