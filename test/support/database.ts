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

/** Names the database that the others are copied from, on the server that the test run has brought. */
const TEMPLATE = 'TEST_TEMPLATE_DATABASE'

/** Migrates a database once a test run; anyone who creates one after it has little left to migrate. */
export async function createTemplateDatabase(serverUrl: string): Promise<{ drop(): Promise<void> }> {
  const name = `test_template_${randomBytes(6).toString('hex')}`
  await asAdmin(serverUrl, (admin) => admin.unsafe(`create database ${name}`))
  const owner = new URL(serverUrl)
  owner.pathname = `/${name}`
  await migrate(owner.toString())
  process.env[TEMPLATE] = name
  return { drop: () => asAdmin(serverUrl, (admin) => admin.unsafe(`drop database ${name} with (force)`)) }
}

async function asAdmin(serverUrl: string, work: (admin: Db) => PromiseLike<unknown>): Promise<void> {
  const admin = createDb(serverUrl, { max: 1, name: 'test-admin' })
  try {
    await work(admin)
  } finally {
    await admin.end({ timeout: 1 })
  }
}

/** A migrated database of its own on the test server. */
export async function createTestDatabase(serverUrl: string): Promise<TestDatabase> {
  const name = `test_${randomBytes(6).toString('hex')}`
  const admin = createDb(serverUrl, { max: 1, name: 'test-admin' })
  // a test may bring a server of its own
  const [template] = await admin<
    { datname: string }[]
  >`select datname from pg_database where datname = ${process.env[TEMPLATE] ?? ''}`
  await admin.unsafe(`create database ${name}${template === undefined ? '' : ` template ${template.datname}`}`)
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
