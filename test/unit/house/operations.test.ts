import { posix } from 'node:path'
import { describe, expect, test } from 'vitest'
import { routes } from '#api/registry.ts'
import { read } from './sources.ts'

/** Operations whose verb has another name: several operations share it, or it is a choke point. */
const SHARED: Record<string, string> = {
  resumeRun: 'decideGate',
  runTemplate: 'admitRun',
  createChatCompletion: 'callModel',
  closeSession: 'logOut',
  receiveSlack: 'answerInChat',
  // with the inbox on they are kept first, and processed by the same verb
  receiveAlerts: 'alertDelivery',
  receivePattern: 'patternDelivery',
  // core/plan has the function validateInputs, which this one calls
  validateInputs: 'checkInputs',
  createConfigPreset: 'createPreset',
  createInputPreset: 'createPreset',
  deleteConfigPreset: 'deletePreset',
  deleteInputPreset: 'deletePreset',
  getConfigPreset: 'getPreset',
  getInputPreset: 'getPreset',
  listConfigPresets: 'listPresets',
  listInputPresets: 'listPresets',
  makeConfigPresetDefault: 'changePreset',
  makeInputPresetDefault: 'changePreset',
  updateConfigPreset: 'changePreset',
  updateInputPreset: 'changePreset',
  createEnvironment: 'createSetting',
  createProfile: 'createSetting',
  deleteEnvironment: 'deleteSetting',
  deleteProfile: 'deleteSetting',
  getEnvironment: 'getSetting',
  getProfile: 'getSetting',
  listEnvironments: 'listSettings',
  listProfiles: 'listSettings',
  updateEnvironment: 'updateSetting',
  updateProfile: 'updateSetting',
}

/** Operations that answer from what the process knows, without a verb. */
const WITHOUT_VERB = new Set([
  'getRoot',
  'getHealth',
  'getMetrics',
  'getOpenapi',
  'getDocs',
  'getDocsAsset',
  'getProblem',
  'getAuthStatus',
  'getSession',
  'getConsole',
  'getConsoleFile',
  'streamRun',
  'streamPipeline',
  // its tools are other operations
  'answerMcp',
  // through api/sign-in.ts and api/approval-link-answer.ts, which pages of two kinds share
  'signIn',
  'decideApprovalLink',
])

/** Where the record is written, when the verb only takes a command to the run or an alert to the fold. */
const RECORDED_BY: Record<string, string> = {
  resumeRun: 'services/approvals/record-decision.ts',
  expireGate: 'services/approvals/record-decision.ts',
  dismissGates: 'services/approvals/record-decision.ts',
  cancelRun: 'services/runs/record-cancel.ts',
  receiveAlerts: 'services/alerts/alert-fold.ts',
}

/** A call that drafts a record, or a statement that takes one along. */
const AUDITED = /\b\w*[aA]udit\w*\(|\baudit:|\bappendAudit\b|\brecordRefusals\b/

const REGISTRY = read('api/registry.ts')
const kebab = (name: string) => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)

function routeFile(operationId: string): string {
  const path = new RegExp(`\\b${operationId}Route\\b.*'./(routes/.*?\\.ts)'`).exec(REGISTRY)?.[1] ?? ''
  return `api/${path}`
}

/** What a file takes from services as values, by name. */
function verbsOf(file: string): Map<string, string> {
  const text = read(file)
  return new Map(
    Array.from(text.matchAll(/^import \{([^}]*)\} from '#(services\/[^']*)'/gm)).flatMap(([, names = '', from = '']) =>
      names.split(',').map((name): [string, string] => [name.trim(), from]),
    ),
  )
}

/** The file and all of services that it reaches by what it imports as values. */
function reachOf(file: string, found = new Set<string>()): Set<string> {
  if (found.has(file)) return found
  found.add(file)
  for (const [, names = '', from = ''] of read(file).matchAll(/^import (?!type )(\{[^}]*\}|\w+) from '(\.[^']*)'/gm))
    if (!/^\{( type \w+,?)* \}$/.test(names)) reachOf(posix.join(posix.dirname(file), from), found)
  return found
}

const isAudited = (file: string) => [...reachOf(file)].some((each) => AUDITED.test(read(each)))

describe('one name through the layers', () => {
  test('the verb of an operation is called like it, unless several operations share it', () => {
    const strays = routes.flatMap(({ operationId }) => {
      if (WITHOUT_VERB.has(operationId)) return []
      const verb = SHARED[operationId] ?? operationId
      const from = verbsOf(routeFile(operationId)).get(verb)
      if (from === undefined) return [`${operationId}: ${routeFile(operationId)} calls no verb ${verb} of services`]
      return from.endsWith(`/${kebab(verb)}.ts`) ? [] : [`${operationId}: ${verb} belongs in a file ${kebab(verb)}.ts`]
    })
    expect(strays).toEqual([])
  })

  test('and no exception is kept that is none any more', () => {
    const ids = new Set(routes.map(({ operationId }) => operationId))
    expect([...Object.keys(SHARED), ...WITHOUT_VERB].filter((id) => !ids.has(id))).toEqual([])
    const own = [...WITHOUT_VERB].filter((id) => verbsOf(routeFile(id)).has(id))
    expect(own).toEqual([])
  })
})

describe('what changes something', () => {
  test('is on record: the verb of each write drafts an audit record', () => {
    const silent = routes
      .filter(({ access, operationId }) => access === 'write' && !WITHOUT_VERB.has(operationId))
      .filter(({ operationId }) => {
        const verb = SHARED[operationId] ?? operationId
        const file = RECORDED_BY[operationId] ?? verbsOf(routeFile(operationId)).get(verb)
        return file === undefined || !isAudited(file)
      })
      .map(({ operationId }) => operationId)
    expect(silent).toEqual([])
  })

  test('and a read drafts none, so that the rule can fail', () => {
    for (const file of ['runs/get-run', 'runs/list-runs', 'packs/get-graph', 'workspaces/place-of'])
      expect([file, isAudited(`services/${file}.ts`)]).toEqual([file, false])
  })
})
