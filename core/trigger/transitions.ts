import type { Suppressed } from './alert.ts'

export type Transition = 'firing' | 'resolved' | 'no_change'

/** What each word means that a tool publishes for a transition, in lower case. A word that is missing is unknown: it starts and ends nothing. */
export type TransitionWords = Readonly<Record<string, Transition>>

/** The words of the shape of Alertmanager, and of ours. */
export const STATUS_WORDS: TransitionWords = { firing: 'firing', resolved: 'resolved' }

/** What a word means; undefined for one that the tool does not publish. */
export function transitionOf(words: TransitionWords, word: string): Transition | undefined {
  const known = word.trim().toLowerCase()
  return Object.hasOwn(words, known) ? words[known] : undefined
}

const MAX_WORD_CHARS = 100

/** Returns the outcome of an alert whose transition the tool does not publish. */
export function unknownTransition(
  tool: { name: string; title: string },
  word: string,
  fingerprint: string,
): Suppressed {
  const shown = Array.from(word.trim()).slice(0, MAX_WORD_CHARS).join('')
  const detail =
    shown === ''
      ? `${tool.title} named no transition, so nothing was started or ended`
      : `${tool.title} sent the transition "${shown}", which is not known, so nothing was started or ended`
  return { suppressed: true, fingerprint, detail, unknown: { source: tool.name, word: shown.toLowerCase() } }
}
