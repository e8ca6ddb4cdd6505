import { LANES, type Lane } from '../contract.ts'
import type { Channel } from '../gate/types.ts'

/** What a start is known by when its lane is chosen. */
export interface StartFacts {
  /** the trigger's type, as provenance names it */
  source: string
  /** whether the caller stays on the line for the result */
  wait?: boolean | undefined
  /** the surface a person sits at; undefined where no person is at the other end */
  channel?: Channel | undefined
  /** all that a caller may ask for */
  asked?: 'background' | undefined
}

/** Something is wrong in the world and waits for an answer. */
const URGENT: ReadonlySet<string> = new Set(['alert', 'pattern', 'ingress'])
/** A person or a program asks for it: urgent only while somebody watches. */
const ASKED_FOR: ReadonlySet<string> = new Set(['manual', 'direct', 'ask', 'again', 'retry'])

/**
 * The lane of a start (spec section 8): signals run in `realtime`; what was asked for does while somebody waits for it, or sits
 * at the console; schedules, the bus, pipelines, replays and everything unknown run in `background`. A caller can only go down.
 */
export function laneOf({ source, wait, channel, asked }: StartFacts): Lane {
  if (asked === 'background') return 'background'
  if (URGENT.has(source)) return 'realtime'
  return ASKED_FOR.has(source) && (wait === true || channel === 'console') ? 'realtime' : 'background'
}

/** A figure for each lane. */
export function perLane<Figure>(of: (lane: Lane) => Figure): Record<Lane, Figure> {
  const [realtime, background] = LANES
  return { realtime: of(realtime), background: of(background) }
}
