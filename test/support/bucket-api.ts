import { beforeAll } from 'vitest'
import { testApi } from './api-client.ts'
import { fileFixture, testDatabase } from './file-fixture.ts'
import { connectBucket } from './kept-objects.ts'
import { testEnvironments } from './open-environments.ts'
import { startS3Server } from './s3-server.ts'

/** An API with these environments, over a database of its own, and the connection `artifacts` to the bucket of a server. */
export function bucketApi(files: Record<string, string>) {
  const database = testDatabase()
  const opened = testEnvironments(database, files)
  const api = testApi(database, () => ({ content: { environments: opened.environments } }))
  const server = fileFixture(() => startS3Server())
  beforeAll(async () => {
    await connectBucket(database, server)
  })
  return { database, opened, api, server }
}
