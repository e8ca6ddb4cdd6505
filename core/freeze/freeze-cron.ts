import { Cron } from 'croner'

/** The fires of a five-field cron expression in a zone. Days of month and of week that are both restricted must both fit. */
export function freezeCron(cron: string, timezone: string): Cron {
  return new Cron(cron, { mode: '5-part', domAndDow: true, timezone, paused: true })
}

const FIELDS = /^\S+( +\S+){4}$/
const LETTERS = /^[0-9A-Za-z*,/ -]+$/
const NAMES = /^(?:SUN|MON|TUE|WED|THU|FRI|SAT|JAN|FEB|MAR|APR|MAY|JUN|JUL|AUG|SEP|OCT|NOV|DEC)$/i
/** A fixed start, so that a file is sound or not whenever it is read. */
const SOME_TIME = '2000-01-01T00:00:00Z'

/** What is wrong with a cron expression; undefined when it is sound. `L W # ? H` and nicknames are refused: cron tools disagree on them. */
export function cronFault(cron: string): string | undefined {
  const text = JSON.stringify(cron)
  if (!FIELDS.test(cron)) return `${text} is not a cron expression of five fields such as 0 18 * * 5`
  const words = cron.match(/[A-Za-z]+/g) ?? []
  if (!LETTERS.test(cron) || !words.every((word) => NAMES.test(word)))
    return `${text} takes numbers, names of days and months, and * , - /`
  try {
    const next = freezeCron(cron, 'UTC').nextRun(new Date(SOME_TIME))
    return next === null ? `${text} names a date that never comes` : undefined
  } catch (error) {
    const why = error instanceof Error ? error.message.replace(/^CronPattern: /, '') : String(error)
    return `${text} is not a cron expression: ${why}`
  }
}

/** What is wrong with the name of a time zone; undefined when it is one of IANA's, spelt as there. */
export function zoneFault(timezone: string): string | undefined {
  const fault = `${JSON.stringify(timezone)} is not a time zone of IANA such as Europe/Berlin or UTC`
  if (!/^[A-Z][A-Za-z0-9_+-]*(\/[A-Za-z0-9_+-]+)*$/.test(timezone)) return fault
  try {
    const known = new Intl.DateTimeFormat('en', { timeZone: timezone }).resolvedOptions().timeZone
    const misspelt = known !== timezone && known.toLowerCase() === timezone.toLowerCase()
    return misspelt ? `${fault}; it is spelt ${known}` : undefined
  } catch {
    return fault
  }
}
