import { randomBytes } from 'node:crypto'
import { createScratch } from '#test/store/operators/create-scratch.ts'

/** A database with roles of its own: an administrator who may alter the others, as a deployment would have one, and who is no superuser. */
export async function createRoles(serverUrl: string, names: readonly string[]) {
  const scratch = await createScratch(serverUrl)
  const suffix = randomBytes(4).toString('hex')
  const named = (name: string) => `${name}_${suffix}`
  const passwords = new Map<string, string>()
  const { sql } = scratch
  const admin = named('role_admin')
  const urlOf = (role: string, password: string | undefined) => {
    const url = new URL(scratch.url)
    url.username = encodeURIComponent(role)
    url.password = encodeURIComponent(password ?? '')
    return url.href
  }
  const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`
  await sql.unsafe(`create role ${admin} login createrole password 'admin'`)
  for (const name of names) {
    const password = randomBytes(12).toString('hex')
    passwords.set(named(name), password)
    await sql.unsafe(`create role ${quoted(named(name))} login password '${password}'`)
    await sql.unsafe(`grant ${quoted(named(name))} to ${admin} with admin option`)
  }
  await sql.unsafe(`grant pg_signal_backend to ${admin}`)
  return {
    ...scratch,
    named,
    admin_url: urlOf(admin, 'admin'),
    /** as a role of it, with the password it was made with or another */
    urlOf: (name: string, password?: string) => urlOf(named(name), password ?? passwords.get(named(name))),
    async drop() {
      for (const name of names) await sql.unsafe(`drop role ${quoted(named(name))}`).catch(() => undefined)
      await sql.unsafe(`drop role ${admin}`).catch(() => undefined)
      await scratch.drop()
    },
  }
}
