import {
  Ban,
  CircleAlert,
  CircleCheck,
  CircleDashed,
  CircleHelp,
  CircleSlash,
  CircleX,
  Clock,
  Info,
  type LucideIcon,
  OctagonAlert,
  Play,
  SignalHigh,
  SignalLow,
  SignalMedium,
  SkipForward,
  TimerOff,
  TriangleAlert,
  UserCheck,
} from 'lucide-react'
import { environmentText } from '../lib/text.ts'
import { STRINGS } from '../strings.ts'
import { Badge, type Tone } from './badge.tsx'

type Look = readonly [Tone, LucideIcon]

const STATUSES: Readonly<Record<string, Look>> = {
  succeeded: ['success', CircleCheck],
  approved: ['success', CircleCheck],
  approve: ['success', CircleCheck],
  healthy: ['success', CircleCheck],
  active: ['success', CircleCheck],
  delivered: ['success', CircleCheck],
  started: ['success', CircleCheck],
  attached: ['success', CircleCheck],
  returned: ['success', CircleCheck],
  ok: ['success', CircleCheck],
  callable: ['success', CircleCheck],
  in_force: ['success', CircleCheck],
  resolved: ['success', CircleCheck],
  accepted: ['success', CircleCheck],
  changed: ['warning', CircleAlert],
  removed: ['neutral', CircleSlash],
  failed: ['destructive', CircleX],
  failing: ['destructive', CircleX],
  unavailable: ['destructive', CircleX],
  not_callable: ['destructive', CircleX],
  broken: ['destructive', CircleX],
  rejected: ['destructive', Ban],
  reject: ['destructive', Ban],
  expired: ['destructive', TimerOff],
  unknown: ['destructive', CircleHelp],
  outcome_unknown: ['destructive', CircleHelp],
  awaiting_approval: ['warning', UserCheck],
  open: ['warning', UserCheck],
  blocked: ['warning', CircleAlert],
  ready: ['warning', CircleAlert],
  degraded: ['warning', CircleAlert],
  retrying: ['warning', CircleAlert],
  paused: ['warning', CircleAlert],
  waiting_timer: ['info', Clock],
  waiting_event: ['info', Clock],
  running: ['info', Play],
  cancelled: ['neutral', CircleSlash],
  cancelling: ['neutral', CircleSlash],
  skipped: ['neutral', SkipForward],
}
const OTHER: Look = ['neutral', CircleDashed]

/** The status of a run, a step, a gate, a pipeline, a connection, a check, a model or a policy. */
export function Status({ of }: { of: string }) {
  const [tone, icon] = STATUSES[of] ?? OTHER
  return (
    <Badge tone={tone} icon={icon}>
      {of.replaceAll('_', ' ')}
    </Badge>
  )
}

const RISKS: Readonly<Record<'low' | 'medium' | 'high', Look>> = {
  low: ['neutral', SignalLow],
  medium: ['warning', SignalMedium],
  high: ['destructive', SignalHigh],
}

export function Risk({ of }: { of: keyof typeof RISKS }) {
  const [tone, icon] = RISKS[of]
  return (
    <Badge tone={tone} icon={icon}>
      {STRINGS.gates.risk(of)}
    </Badge>
  )
}

const SEVERITIES: Readonly<Record<string, Look>> = {
  critical: ['destructive', OctagonAlert],
  error: ['destructive', OctagonAlert],
  high: ['destructive', OctagonAlert],
  warning: ['warning', TriangleAlert],
}

export function Severity({ of, text = of }: { of: string; text?: string }) {
  const [tone, icon] = SEVERITIES[of] ?? (['info', Info] as const)
  return (
    <Badge tone={tone} icon={icon}>
      {text}
    </Badge>
  )
}

/** An environment, with its class where the name does not say it. Production stands out by weight, so that red is left to what is wrong. */
export function Environment({ name, of }: { name: string; of: string }) {
  return (
    <Badge tone="outline" className={of === 'production' ? 'border-foreground font-semibold' : ''}>
      {environmentText(name, of)}
    </Badge>
  )
}
