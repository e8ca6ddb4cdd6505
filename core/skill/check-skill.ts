import { EVENT_MEMBERS } from '../bus/cloud-event.ts'
import { DomainError, type FieldError } from '../errors.ts'
import { type JsonObject, jsonPointer, pointerParts, valueAt } from '../json/json.ts'
import { checkValue } from '../plan/check-value.ts'
import type { Fault } from '../plan/fault.ts'
import { errorToFault, isDynamic, knownErrors } from '../plan/known-errors.ts'
import { inputsValidator } from '../plan/validate-inputs.ts'
import { typeFaults, wrongType } from '../plan/value-type.ts'
import { compileSchedule } from '../schedule/compile-schedule.ts'
import { parseCron } from '../schedule/cron.ts'
import { DEFAULT_DST } from '../schedule/next-fires.ts'
import { secretPaths } from '../secret/secret-paths.ts'
import type { SkillFrontmatter } from './skill-schema.ts'

/** The inputs schema of a template; undefined when there is no such template. */
export type FindInputs = (pack: string, template: string) => JsonObject | undefined

/** All members but the data are text. */
const EVENT_TYPES = {
  properties: Object.fromEntries([...EVENT_MEMBERS].map((name) => [name, name === 'data' ? {} : { type: 'string' }])),
}

const NAMES = { variables: new Map([['event', EVENT_MEMBERS]]) }

/** Only examples depend on it, and none is shown here. */
const SOME_TIME = Date.UTC(2026, 0, 1)

const NEEDS_RUN = ['cron', 'on', 'environment', 'profile', 'config_preset'] as const
const NEEDS_CRON = ['timezone', 'days'] as const

/** Returns every fault of a frontmatter whose keys have the right types. */
export function checkSkill(spec: SkillFrontmatter, folder: string, findInputs: FindInputs): Fault[] {
  return [...checkName(spec, folder), ...checkKeys(spec), ...checkCron(spec), ...checkRun(spec, findInputs)]
}

function checkName({ name }: SkillFrontmatter, folder: string): Fault[] {
  if (name === folder) return []
  return [{ path: ['name'], message: `the name is ${name}, so its folder must be called that, not ${folder}` }]
}

function checkKeys(spec: SkillFrontmatter): Fault[] {
  const faults: Fault[] = []
  const missing = (key: string, needed: string) =>
    faults.push({ path: [key], message: `${key} needs ${needed}`, key: true })
  if (spec.run === undefined)
    for (const key of NEEDS_RUN) if (spec[key] !== undefined) missing(key, 'run: pack/template')
  if (spec.run === undefined && Object.keys(spec.inputs).length > 0) missing('inputs', 'run: pack/template')
  if (spec.cron === undefined) for (const key of NEEDS_CRON) if (spec[key] !== undefined) missing(key, 'cron')
  return faults
}

function checkCron({ cron, timezone = 'UTC', days }: SkillFrontmatter): Fault[] {
  if (cron === undefined) return []
  const offset = (parseCron(cron).fault?.column ?? 1) - 1
  const place = ({ loc, msg }: FieldError): Fault =>
    loc[0] === 'timezone' ? { path: ['timezone'], message: msg } : { path: ['cron'], message: msg, offset }
  try {
    compileSchedule({ cron, timezone, days, dst: DEFAULT_DST }, SOME_TIME)
    return []
  } catch (error) {
    if (!(error instanceof DomainError)) throw error
    return (error.details.errors ?? []).map(place)
  }
}

function checkRun({ run, cron, on, inputs }: SkillFrontmatter, findInputs: FindInputs): Fault[] {
  if (run === undefined) return []
  const [pack = '', template = ''] = run.split('/')
  const schema = findInputs(pack, template)
  if (schema === undefined) return [{ path: ['run'], message: `there is no template ${run}` }]
  return [
    ...checkExpressions(inputs, on !== undefined && cron === undefined),
    ...checkSecrets(inputs, schema),
    ...checkInputs(run, inputs, schema),
  ]
}

function checkExpressions(inputs: JsonObject, hasEvent: boolean): Fault[] {
  const wrong = checkValue(inputs, ['inputs'], NAMES)
  if (wrong.length > 0 || hasEvent) return wrong
  return Object.entries(inputs)
    .filter(([, value]) => isDynamic(value))
    .map(([name]) => ({
      path: ['inputs', name],
      message: 'only a skill that has `on`, and no cron, knows an event: this must be a constant',
    }))
}

/** A file that people copy and check in is no place for a secret. */
function checkSecrets(inputs: JsonObject, schema: JsonObject): Fault[] {
  return secretPaths(schema)
    .map(pointerParts)
    .filter((path) => valueAt(inputs, path) !== undefined)
    .map((path) => ({
      path: ['inputs', ...path],
      message: `the input ${jsonPointer(path).slice(1)} is secret, and a skill cannot hold secrets`,
      key: true,
    }))
}

function checkInputs(run: string, inputs: JsonObject, schema: JsonObject): Fault[] {
  const validate = inputsValidator(schema)
  // the validator fills in defaults
  const faults = validate(structuredClone(inputs))
    ? []
    : knownErrors(validate.errors ?? [], inputs).map((error) => errorToFault(error, ['inputs'], schema))
  return [...faults, ...typeFaults(inputs, { schema, known: { event: EVENT_TYPES }, path: ['inputs'] }, wrongType(run))]
}
