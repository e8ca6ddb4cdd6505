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
import { type Pill, riskPill, severityPill, statusPill } from '../../../core/text/pills.ts'
import { environmentText } from '../lib/text.ts'
import { Badge } from './badge.tsx'

/** The icon in the place of each symbol that a terminal shows. */
const ICONS: Readonly<Record<string, LucideIcon>> = {
  '✓': CircleCheck,
  '✗': CircleX,
  '⊗': Ban,
  '◔': TimerOff,
  '?': CircleHelp,
  '◆': UserCheck,
  '!': CircleAlert,
  '◷': Clock,
  '▸': Play,
  '⊘': CircleSlash,
  '↷': SkipForward,
  '▁': SignalLow,
  '▄': SignalMedium,
  '█': SignalHigh,
  '■': OctagonAlert,
  '▲': TriangleAlert,
  '●': Info,
}

function Drawn({ pill: { tone, symbol, text } }: { pill: Pill }) {
  return (
    <Badge tone={tone} icon={ICONS[symbol] ?? CircleDashed}>
      {text}
    </Badge>
  )
}

/** The status of a run, a step, a gate, a pipeline, a connection, a check, a model or a policy. */
export const Status = ({ of }: { of: string }) => <Drawn pill={statusPill(of)} />

export const Risk = ({ of }: { of: string }) => <Drawn pill={riskPill(of)} />

export const Severity = ({ of, text = of }: { of: string; text?: string }) => (
  <Drawn pill={{ ...severityPill(of), text }} />
)

/** An environment, with its class where the name does not say it. Production stands out by weight, so that red is left to what is wrong. */
export function Environment({ name, of }: { name: string; of: string }) {
  return (
    <Badge tone="outline" className={of === 'production' ? 'border-foreground font-semibold' : ''}>
      {environmentText(name, of)}
    </Badge>
  )
}
