/** A time of day and the days it holds on, as sorted values. Days of the week count from 0, Sunday. */
export interface Cron {
  seconds: number[]
  minutes: number[]
  hours: number[]
  days: number[]
  months: number[]
  weekdays: number[]
  /** true when the field is more than `*` */
  days_restricted: boolean
  /** true when the field is more than `*` */
  weekdays_restricted: boolean
  /** the hour is `*` or `*` with a step: fires then follow elapsed time when the clock is changed */
  elapsed: boolean
}

/** A fault in a cron expression; `line` and `column` count from 1. */
export interface CronFault {
  line: number
  column: number
  message: string
  hint: string
}

const MONTHS = ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC']
const WEEKDAYS = ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT']
const NICKNAMES: Record<string, string> = {
  '@hourly': '0 * * * *',
  '@daily': '0 0 * * *',
  '@weekly': '0 0 * * 0',
  '@monthly': '0 0 1 * *',
  '@yearly': '0 0 1 1 *',
}

interface Field {
  name: 'seconds' | 'minutes' | 'hours' | 'days' | 'months' | 'weekdays'
  label: string
  min: number
  max: number
  names?: { words: string[]; first: number }
}

const SECONDS: Field = { name: 'seconds', label: 'second', min: 0, max: 59 }
const FIELDS: Field[] = [
  { name: 'minutes', label: 'minute', min: 0, max: 59 },
  { name: 'hours', label: 'hour', min: 0, max: 23 },
  { name: 'days', label: 'day of the month', min: 1, max: 31 },
  { name: 'months', label: 'month', min: 1, max: 12, names: { words: MONTHS, first: 1 } },
  { name: 'weekdays', label: 'day of the week', min: 0, max: 7, names: { words: WEEKDAYS, first: 0 } },
]

const FOREIGN: Record<string, string> = {
  L: 'name the day, such as 28, or run daily and decide inside',
  W: 'name the days, such as * * 1-5 for working days',
  '#': 'limit both days, such as 1-7 and MON, and say days: and',
  '?': 'write *',
  H: 'choose a value; jitter_s spreads the load',
}

class UnreadableCron extends Error {
  readonly at: number
  readonly hint: string

  constructor(at: number, message: string, hint: string) {
    super(message)
    this.at = at
    this.hint = hint
  }
}

/** Reads five fields, or six with seconds first, or one of `@hourly @daily @weekly @monthly @yearly`. */
export function parseCron(text: string): { cron: Cron; fault?: undefined } | { cron?: undefined; fault: CronFault } {
  try {
    return { cron: parse(text) }
  } catch (error) {
    if (!(error instanceof UnreadableCron)) throw error
    const before = text.slice(0, error.at).split('\n')
    const column = (before.at(-1)?.length ?? 0) + 1
    return { fault: { line: before.length, column, message: error.message, hint: error.hint } }
  }
}

function parse(text: string): Cron {
  const words = [...text.matchAll(/\S+/g)].map((match) => ({ text: match[0], at: match.index }))
  const first = words[0]
  if (first === undefined) throw new UnreadableCron(0, 'the expression is empty', 'five fields such as 30 6 * * 1-5')
  if (first.text.startsWith('@')) {
    const full = words.length === 1 ? NICKNAMES[first.text] : undefined
    if (full === undefined)
      throw new UnreadableCron(first.at, `${first.text} is not known here`, nicknameHint(first.text))
    return parse(full)
  }
  if (words.length < 5 || words.length > 6) {
    const at = words[6]?.at ?? text.length
    throw new UnreadableCron(
      at,
      `${words.length} fields`,
      'five fields (minute hour day month weekday), or six with seconds first',
    )
  }
  const fields = words.length === 6 ? [SECONDS, ...FIELDS] : FIELDS
  const values = new Map(fields.map((field, index) => [field.name, parseField(field, words[index] ?? first)]))
  const textOf = (name: Field['name']) => words[fields.findIndex((field) => field.name === name)]?.text ?? '*'
  const cron: Cron = {
    seconds: values.get('seconds') ?? [0],
    minutes: values.get('minutes') ?? [],
    hours: values.get('hours') ?? [],
    days: values.get('days') ?? [],
    months: values.get('months') ?? [],
    weekdays: unique((values.get('weekdays') ?? []).map((day) => day % 7)),
    days_restricted: !isAll(textOf('days')),
    weekdays_restricted: !isAll(textOf('weekdays')),
    elapsed: /^\*(\/\d+)?$/.test(textOf('hours')),
  }
  // with both restricted it depends on how they go together
  if (!(cron.days_restricted && cron.weekdays_restricted) && !comesEver(cron)) {
    const at = words[fields.findIndex((field) => field.name === 'days')]?.at ?? 0
    throw new UnreadableCron(at, 'this date never comes', 'no month of those named has such a day')
  }
  return cron
}

function nicknameHint(word: string): string {
  if (word === '@reboot')
    return 'a schedule follows the clock, not a process; use @hourly @daily @weekly @monthly @yearly'
  if (word === '@every') return 'write the step in a field, such as */15 * * * *'
  return 'use @hourly @daily @weekly @monthly @yearly'
}

function parseField(field: Field, word: { text: string; at: number }): number[] {
  const values: number[] = []
  let at = word.at
  for (const item of word.text.split(',')) {
    values.push(...parseItem(field, item, at))
    at += item.length + 1
  }
  return unique(values)
}

/** `*`, `*` with a step, `a`, `a-b` or `a-b/n`. */
function parseItem(field: Field, item: string, at: number): number[] {
  const most = field.name === 'weekdays' ? 6 : field.max
  if (item === '')
    throw new UnreadableCron(at, `an empty value for the ${field.label}`, 'values are separated by commas')
  const [range = '', step, ...more] = item.split('/')
  const stepAt = at + range.length + 1
  if (more.length > 0) throw new UnreadableCron(stepAt, 'two steps', `such as */2 or ${field.min}-${most}/2`)
  const every = step === undefined ? 1 : parseStep(field, step, stepAt)
  if (range === '*') return span(field.min, most, every)
  const [low = '', high, ...rest] = range.split('-')
  if (rest.length > 0) throw new UnreadableCron(at, `${range} is not a range`, 'a range is from-to')
  const start = parseValue(field, low, at)
  if (high === undefined) {
    if (step === undefined) return [start]
    throw new UnreadableCron(
      at,
      `a step after one value: ${item}`,
      `cron tools disagree on it: write ${start}-${most}/${step}`,
    )
  }
  const last = parseValue(field, high, at + low.length + 1)
  // a range may end with the Sunday after its first day
  const end = field.name === 'weekdays' && last === 0 && !/^\d/.test(high) ? 7 : last
  if (end < start) {
    const hint = `split it: ${start}-${most},${field.min}-${end}`
    throw new UnreadableCron(at, `the range ${range} wraps`, hint)
  }
  return span(start, end, every)
}

function parseStep(field: Field, text: string, at: number): number {
  const step = /^\d{1,2}$/.test(text) ? Number(text) : 0
  if (step >= 1 && step <= field.max) return step
  throw new UnreadableCron(at, `${JSON.stringify(text)} is not a step of the ${field.label}`, `1 to ${field.max}`)
}

function parseValue(field: Field, text: string, at: number): number {
  const { min, max, label, names } = field
  if (/^\d{1,2}$/.test(text)) {
    const value = Number(text)
    if (value >= min && value <= max) return value
    throw new UnreadableCron(at, `${text} is out of range for the ${label}`, `${min} to ${max}`)
  }
  const word = text.toUpperCase()
  const index = names?.words.indexOf(word) ?? -1
  if (names !== undefined && index >= 0) return names.first + index
  const foreign = [...word].findIndex((letter) => FOREIGN[letter] !== undefined)
  const letter = word[foreign]
  if (letter !== undefined && !/^[A-Z]{3,}$/.test(word)) {
    throw new UnreadableCron(at + foreign, `${letter} is not supported`, FOREIGN[letter] ?? '')
  }
  const hint = names === undefined ? `${min} to ${max}` : `${min} to ${max}, or ${names.words.join(' ')}`
  throw new UnreadableCron(at, `${JSON.stringify(text)} is not a ${label}`, hint)
}

/** Tells whether any of the months has any of the days. */
function comesEver({ days, months }: Cron): boolean {
  return months.some((month) => (days[0] ?? 1) <= longest(month))
}

function longest(month: number): number {
  if (month === 2) return 29
  return [4, 6, 9, 11].includes(month) ? 30 : 31
}

function isAll(text: string): boolean {
  return text === '*' || text === '*/1'
}

function span(from: number, to: number, step: number): number[] {
  return Array.from({ length: Math.floor((to - from) / step) + 1 }, (_, index) => from + index * step)
}

function unique(values: number[]): number[] {
  return [...new Set(values)].sort((a, b) => a - b)
}
