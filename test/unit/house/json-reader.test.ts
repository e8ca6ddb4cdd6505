import { expect, test } from 'vitest'
import { PRODUCT, readFolders } from './sources.ts'

/** What they read was written by this product, or says nothing that is kept: every other text goes through core/json/parse-json.ts. */
const OURS: Record<string, string> = {
  'core/json/parse-json.ts': 'is the reader',
  'activities/operators/postgres/backup/manifest.ts': 'a manifest of ours, by its digest',
  'activities/operators/field-schema.ts': 'a copy',
  'activities/operators/operator-input.ts': 'a copy',
  'activities/operators/postgres/backup.ts': 'manifests of ours',
  'activities/step/resolved.ts': 'a copy',
  'api/api-runtime.ts': 'package.json',
  'api/mcp/tool-result.ts': 'an answer of this API',
  'cli/client/api-client.ts': 'an answer of the API',
  'cli/ask/start-plan.ts': 'a plan of svc ask, by its digest',
  'cli/client/credentials.ts': 'a file of the command line',
  'cli/commands/evidence.ts': 'evidence of ours, byte for byte as it was saved',
  'cli/dev/scripted-answer.ts': 'a script of the model for development',
  'cli/client/read-events.ts': 'an event of the API',
  'cli/client/describe-failure.ts': 'when a token ends',
  'cli/svc.mjs': 'package.json',
  'console/src/features/ask/api.ts': 'an event of the API',
  'console/src/features/connections/draft.ts': 'a draft of ours',
  'console/src/features/start/preflight-view.tsx': 'a copy',
  'console/src/lib/follow-events.ts': 'an event of the API',
  'core/audit/chain.ts': 'a record of ours, by its hash',
  'core/gate/attribute.ts': 'a copy',
  'core/models/roles-record-schema.ts': 'a document of the console, which wrote it',
  'core/pipeline/advance.ts': 'a copy',
  'platform/audit-sink/tail.ts': 'a record of ours',
  'platform/embedded/child-log.ts': 'a line of our log',
  'platform/embedded/children.ts': 'an answer of our child',
  'platform/embedded/postgres-account.ts': 'package.json',
  'platform/embedded/temporal.ts': 'a record of ours',
  'platform/program/bundle.mjs': 'an index of the bundler, which wrote it',
  'platform/program/source-stack.mjs': 'a source map of ours',
  'platform/secret-box.ts': 'what was sealed here',
  'services/audit/late-write.ts': 'a record of ours',
  'services/bus/bus-position.ts': 'a notice of our functions',
  'services/connections/refresh-tokens.ts': 'what was sealed here',
  'services/models/put-model-roles.ts': 'a document of the console, which wrote it',
  'store/gates/gate-decisions.ts': 'a key of ours',
  'store/runs/listen-for-runs.ts': 'a notice of our functions',
  'store/models/model-calls.ts': 'a refusal of our functions',
  'store/authored/presets.ts': 'a key of ours',
  'store/runs/runs.ts': 'a refusal of our functions',
}

test('JSON from outside is read in one place, core/json/parse-json.ts, which rounds nothing', () => {
  const readers = readFolders([...PRODUCT, 'console/src'])
    .filter(({ text }) => /\bJSON\s*\.\s*parse\b/.test(text))
    .map(({ path }) => path)
  expect(
    readers.filter((path) => !Object.hasOwn(OURS, path)),
    'use parseJson for requests, parseForeignJson for what others wrote, or say here why it is ours',
  ).toEqual([])
  expect(
    Object.keys(OURS).filter((path) => !readers.includes(path)),
    'they read none any more',
  ).toEqual([])
})
