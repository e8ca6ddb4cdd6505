import { posix } from 'node:path'
import { describe, expect, test } from 'vitest'
import { routes } from '#api/registry.ts'
import { familyOf, routeFile } from '#test/support/route-files.ts'
import { read, words } from './sources.ts'

/** Operations whose verb has another name: several operations share it, it is a choke point, or a kind has it beside those of its family. */
const SHARED: Record<string, string> = {
  receiveSlack: 'answerInChat',
  // core/plan has the function validateInputs, which this one calls
  validateInputs: 'checkInputs',
  makeConfigPresetDefault: 'configPresets',
  makeInputPresetDefault: 'inputPresets',
}

/** Operations that answer from what the process knows, without a verb. */
const WITHOUT_VERB = new Set([
  ...words(`
    getRoot getHealth getMetrics getOpenapi getDocs getDocsAsset getProblem getAuthStatus getSession getConsole
    getConsoleFile streamRun streamPipeline`),
  // its tools are other operations
  'answerMcp',
  // through api/approval-link-answer.ts, which pages of two kinds share
  'decideApprovalLink',
])

/** Where the record is written, when the verb only takes a command to the run or an alert to the fold. */
const RECORDED_BY: Record<string, [file: string, name: string]> = {
  resumeRun: ['services/approvals/record-decision.ts', 'recordDecision'],
  expireGate: ['services/approvals/record-decision.ts', 'recordDecision'],
  dismissGates: ['services/approvals/record-decision.ts', 'recordDecision'],
  cancelRun: ['services/runs/record-cancel.ts', 'recordCancel'],
  receiveAlerts: ['services/alerts/alert-fold.ts', 'createAlertFold'],
}

/** What a write calls in the place of its verb, which is called from there. */
const CALLED_THROUGH: Record<string, string> = {
  // with the inbox on they are kept first
  receiveAlerts: 'alertDelivery',
  receivePattern: 'patternDelivery',
}

/** A call that drafts a record, or a statement that takes one along. */
const AUDITED = /\b\w*[aA]udit\w*\(|\baudit:|\bappendAudit\b|\brecordRefusals\b/

/** Reads whose verbs name nothing of the audit log, not even to read it. */
const READS = ['getRun', 'listRuns', 'getContract', 'listWorkspaces', 'getWorkflowConfig']

const writes = routes.filter(({ access }) => access === 'write')

/** The verb of an operation: a function, or what `defineAuthored` makes of a kind. */
const verbOf = (operationId: string) => SHARED[operationId] ?? familyOf(operationId)?.verbs ?? operationId

/** What a file imports from modules of ours: each name with its module. */
function importsOf(file: string): Map<string, string> {
  const folder = posix.dirname(file)
  return new Map(
    Array.from(read(file).matchAll(/^import (?!type )\{([^}]*)\} from '([.#][^']*)'/gm)).flatMap(
      ([, names = '', from = '']) =>
        names
          .split(',')
          .map((name) => name.trim())
          .filter((name) => name !== '' && !name.startsWith('type '))
          .map((name): [string, string] => [name, from.startsWith('#') ? from.slice(1) : posix.join(folder, from)]),
    ),
  )
}

/** Where a file takes a verb of services from. */
function verbModule(file: string, verb: string): string | undefined {
  const from = importsOf(file).get(verb)
  return from?.startsWith('services/') ? from : undefined
}

/** The declarations at the top of a file, each as its text. */
function declarationsOf(file: string): Map<string, string> {
  const parts = read(file).split(/^(?=(?:export )?(?:async )?(?:function|const|class) \w)/m)
  return new Map(
    parts.map((part) => [/^(?:export )?(?:async )?(?:function|const|class) (\w+)/.exec(part)?.[1] ?? '', part]),
  )
}

/** Whether a function of services, or any that it comes to, drafts an audit record. */
function isAudited(file: string, name: string, seen = new Set<string>()): boolean {
  if (!file.startsWith('services/') || seen.has(`${file} ${name}`)) return false
  seen.add(`${file} ${name}`)
  const declared = declarationsOf(file)
  const text = declared.get(name) ?? ''
  if (AUDITED.test(text)) return true
  const imported = importsOf(file)
  return [...new Set(text.match(/\b\w+\b/g))].some((word) =>
    isAudited(declared.has(word) ? file : (imported.get(word) ?? ''), word, seen),
  )
}

describe('one name through the layers', () => {
  test('the verb of an operation is called like it, unless several operations share it', () => {
    const strays = routes.flatMap(({ operationId }) => {
      if (WITHOUT_VERB.has(operationId)) return []
      const verb = verbOf(operationId)
      const from = verbModule(routeFile(operationId), verb)
      return from === undefined ? [`${operationId}: ${routeFile(operationId)} calls no verb ${verb} of services`] : []
    })
    expect(strays).toEqual([])
  })

  test('and no exception is kept that is none any more', () => {
    const ids = new Set(routes.map(({ operationId }) => operationId))
    expect([...Object.keys(SHARED), ...WITHOUT_VERB].filter((id) => !ids.has(id))).toEqual([])
    const own = [...WITHOUT_VERB].filter((id) => verbModule(routeFile(id), id) !== undefined)
    expect(own).toEqual([])
  })
})

describe('what changes something', () => {
  test.each(writes)('asks what its verb asks, which it calls: $operationId', async ({ operationId, verb }) => {
    const [name, file] = [verbOf(operationId), routeFile(operationId)]
    const module: Record<string, object> = await import(`../../../${verbModule(file, name)}`)
    const kind = module[name] ?? {}
    expect([kind, ...Object.values(kind)]).toContain(verb)
    const [before = '', route = ''] = read(file).split(`operationId: '${operationId}'`)
    // these call what they are given as their verb
    if (familyOf(operationId) !== undefined || /\bmakeDefaultRoute\(\{[^{}]*$/.test(before)) return
    const [text = ''] = route.split(/^\)$/m)
    const called = text.replace(/^ *verb: .*$/m, '').match(/\b\w+\b/g)
    expect(called).toContain(CALLED_THROUGH[operationId] ?? name)
  })

  test('is on record: the verb of each write drafts an audit record, and of a read drafts none', () => {
    const drafts = (operationId: string) => {
      const verb = verbOf(operationId)
      const [file = verbModule(routeFile(operationId), verb), name = verb] = RECORDED_BY[operationId] ?? []
      return file !== undefined && isAudited(file, name)
    }
    expect(writes.map(({ operationId }) => operationId).filter((id) => !drafts(id))).toEqual([])
    expect(READS.filter(drafts)).toEqual([])
  })
})
