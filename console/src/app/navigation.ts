import {
  BookOpen,
  House,
  ListChecks,
  type LucideIcon,
  Play,
  ScrollText,
  Settings,
  ShieldCheck,
  UserCheck,
  Workflow,
  Zap,
} from 'lucide-react'
import { STRINGS } from '../strings.ts'

const { navigation } = STRINGS

type Path =
  | '/'
  | '/gates'
  | '/runs'
  | '/pipelines'
  | '/start'
  | '/triggers'
  | '/policies'
  | '/knowledge'
  | '/audit'
  | '/admin'

export interface Destination {
  to: Path
  name: string
  /** follows `g` on the keyboard */
  key: string
  icon: LucideIcon
}

/** The pages of the navigation: what runs, what makes it run, and what was recorded. */
export const GROUPS: readonly (readonly Destination[])[] = [
  [
    { to: '/', name: navigation.home, key: 'h', icon: House },
    { to: '/gates', name: navigation.gates, key: 'g', icon: UserCheck },
    { to: '/runs', name: navigation.runs, key: 'r', icon: ListChecks },
    { to: '/pipelines', name: navigation.pipelines, key: 'l', icon: Workflow },
  ],
  [
    { to: '/start', name: navigation.start, key: 's', icon: Play },
    { to: '/triggers', name: navigation.triggers, key: 't', icon: Zap },
    { to: '/policies', name: navigation.policies, key: 'p', icon: ShieldCheck },
    { to: '/knowledge', name: navigation.knowledge, key: 'k', icon: BookOpen },
  ],
  [
    { to: '/audit', name: navigation.audit, key: 'a', icon: ScrollText },
    { to: '/admin', name: navigation.admin, key: 'm', icon: Settings },
  ],
]

export const NAVIGATION: readonly Destination[] = GROUPS.flat()
