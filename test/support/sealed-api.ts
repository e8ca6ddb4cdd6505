import { testApi } from './api-client.ts'
import type { TestDatabase } from './database.ts'
import { createRecordDeps, createRecordEngine, TEST_SEAL } from './record-engine.ts'
import { SECRET } from './users.ts'

/** An API with authentication, for the tests of a file; what is sent to its runs counts only where the API has sealed it. */
export const testSealedApi = (database: TestDatabase) =>
  testApi(database, () => ({
    secret: SECRET,
    services: {
      engine: createRecordEngine(createRecordDeps(database.db, { open: false, signals_approve: false })),
      sign: TEST_SEAL.sign,
    },
  }))
