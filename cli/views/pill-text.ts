import { type Pill, riskPill, severityPill, statusPill, type Tone } from '#core/text/pills.ts'
import { atTerminal, pc } from './format.ts'

const PAINT: Readonly<Record<Tone, (text: string) => string>> = {
  neutral: pc.dim,
  info: pc.cyan,
  success: pc.green,
  warning: pc.yellow,
  destructive: pc.red,
}

/** At a terminal a symbol and words, elsewhere the word of the API, which programs know. */
export function statusText(status: string, isRead = atTerminal): string {
  return isRead ? pillText(statusPill(status)) : status
}

export function riskText(risk: string, isRead = atTerminal): string {
  return isRead ? pillText({ ...riskPill(risk), text: risk }) : risk
}

/** The words of a status, where its symbol stands elsewhere. */
export function statusWords(status: string, isRead = atTerminal): string {
  return isRead ? statusPill(status).text : status
}

function pillText({ symbol, text }: Pill): string {
  return `${symbol} ${text}`
}

/** In the colour of a status of a run, a step, a gate or a pipeline. */
export function paintStatus(text: string, status: string): string {
  return PAINT[statusPill(status).tone](text)
}

export function paintRisk(text: string, risk: string): string {
  return PAINT[riskPill(risk).tone](text)
}

export function paintSeverity(text: string, severity: string): string {
  return PAINT[severityPill(severity).tone](text)
}
