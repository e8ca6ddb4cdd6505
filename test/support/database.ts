import { randomBytes } from 'node:crypto'
import { createDb, type Db } from '#store/db.ts'
import { migrate } from '#store/migrate.ts'
import { createTenantDb, type TenantDb } from '#store/tenant-db.ts'

export interface TestDatabase {
  /** the services' own url, with the least privilege */
  url: string
  owner_url: string
  db: Db
  /** reads in the name of one workspace */
  tenants: TenantDb
  drop(): Promise<void>
}

/** A migrated database of its own on the test server. */
export async function createTestDatabase(serverUrl: string): Promise<TestDatabase> {
  const name = `test_${randomBytes(6).toString('hex')}`
  const admin = createDb(serverUrl, { max: 1, name: 'test-admin' })
  await admin.unsafe(`create database ${name}`)
  const owner = new URL(serverUrl)
  owner.pathname = `/${name}`
  const { url } = await migrate(owner.toString())
  const db = createDb(url, { max: 10, name: 'test' })
  const tenants = createTenantDb(url, { max: 10, name: 'test-tenant' })
  return {
    url,
    owner_url: owner.toString(),
    db,
    tenants,
    async drop() {
      await tenants.end()
      await db.end({ timeout: 1 })
      await admin.unsafe(`drop database ${name} with (force)`)
      await admin.end({ timeout: 1 })
    },
  }
}
