import type { UseNavigateResult } from '@tanstack/react-router'
import { NAVIGATION } from '../../app/navigation.ts'
import { chooseTheme, THEMES } from '../../lib/theme.ts'
import type { useMe } from '../../lib/use-me.ts'
import { ADMIN } from '../../strings/admin.ts'
import { PALETTE as words } from '../../strings/palette.ts'
import { REMOTE_JOBS } from '../../strings/remote-jobs.ts'
import { TRIGGERS } from '../../strings/triggers.ts'
import { STRINGS } from '../../strings.ts'
import type { User } from '../admin/api.ts'
import { adminParts } from '../admin/parts.ts'
import type { WaitingGate } from '../gates/api.ts'
import type { Pipeline } from '../pipelines/api.ts'
import type { Policy } from '../policies/api.ts'
import { type Run, requesterOf } from '../runs/api.ts'
import type { Template } from '../start/api.ts'
import { triggerParts } from '../triggers/part-link.tsx'

export interface Command {
  /** unlike that of any other */
  id: string
  kind: keyof typeof words.kinds
  name: string
  /** beside the name, in less strong words */
  aside?: string
  /** other words that people type for it */
  synonyms?: string
  act: (navigate: Navigate, leave: (how: { everywhere: boolean }) => void) => void
}

type Navigate = UseNavigateResult<string>
type Me = ReturnType<typeof useMe>

const SYNONYMS: Readonly<Record<string, string>> = {
  '/': 'start page dashboard overview spend cost budget caps',
  '/gates': 'gates approve reject queue pending',
  '/runs': 'executions workflows jobs history cancel',
  '/pipelines': 'dag flow',
  '/start': 'run trigger template execute new',
  '/triggers': 'schedules cron rules alerts webhooks what starts runs',
  '/policies': 'rules guardrails',
  '/knowledge': 'documents corpus runbook search',
  '/audit': 'log records evidence chain who did what history changes',
  '/admin': 'administration',
  models: 'llm providers prices cost spend',
  halts: 'stop freeze kill switch lift resume',
  users: 'people user roles invite',
  keys: 'token api key',
  connections: 'credentials secrets integrations databases services',
  schedules: 'cron timer',
  inbox: 'deliveries webhooks replay',
}

const action = (name: string, synonyms: string, act: Command['act']): Command => ({
  id: name,
  kind: 'action',
  name,
  synonyms,
  act,
})

function part(to: '/admin' | '/triggers', page: string, name: string, title: string): Command {
  return {
    id: `${to} ${name}`,
    kind: 'page',
    name: `${page}: ${title}`,
    synonyms: SYNONYMS[name] ?? '',
    act: (navigate) => void navigate({ to, search: { part: name } }),
  }
}

const openAdmin = (name: string, synonyms: string, at: string) =>
  action(name, synonyms, (navigate) => void navigate({ to: '/admin', search: { part: at } }))

/** Every page with its parts, and the actions that this person may do. `mayLeave`: there is a sign-in. */
export function commandsOf(me: Me, mayLeave: boolean): Command[] {
  const parts = [
    ...adminParts(me).map((name) => part('/admin', ADMIN.title, name, ADMIN.parts[name])),
    ...triggerParts(me).map((name) => part('/triggers', TRIGGERS.title, name, TRIGGERS.parts[name])),
  ]
  return [
    ...NAVIGATION.map(
      ({ to, name }): Command => ({
        id: to,
        kind: 'page',
        name,
        synonyms: SYNONYMS[to] ?? '',
        act: (navigate) => void navigate({ to }),
      }),
    ),
    {
      id: '/remote-jobs',
      kind: 'page',
      name: REMOTE_JOBS.title,
      synonyms: 'external own worker temporal activity delegated queue',
      act: (navigate) => void navigate({ to: '/remote-jobs' }),
    },
    ...(me.isApprover
      ? [
          action(words.mine, 'gates pending', (navigate) => {
            void navigate({ to: '/gates', search: { awaiting_me: 'true' } })
          }),
          openAdmin(words.halt, 'cancel freeze pause kill everything', 'halts'),
        ]
      : []),
    ...(me.isAdmin
      ? [
          openAdmin(words.lift, 'resume continue unfreeze end stop', 'halts'),
          action(words.write_policy, 'new create', (navigate) => void navigate({ to: '/new-policy' })),
          action(words.write_rule, 'new create trigger', (navigate) => {
            void navigate({ to: '/triggers', search: { part: 'rules', create: '1' } })
          }),
          openAdmin(words.invite, 'user add person member', 'users'),
          openAdmin(words.make_key, 'token create new', 'keys'),
        ]
      : []),
    ...(me.isAdminOfAll
      ? [
          action(words.make_connection, 'new create connect credential secret integration', (navigate) => {
            void navigate({ to: '/admin', search: { part: 'connections', create: '1' } })
          }),
        ]
      : []),
    ...parts,
    action(words.me, 'user profile account vacation', (navigate) => void navigate({ to: '/me' })),
    ...(mayLeave
      ? [
          action(STRINGS.sign_out, 'log out logout leave', (_navigate, leave) => leave({ everywhere: false })),
          action(STRINGS.sign_out_everywhere, 'log out logout leave', (_navigate, leave) =>
            leave({ everywhere: true }),
          ),
        ]
      : []),
    ...THEMES.map((theme) => action(words.themes[theme], 'colour appearance', () => chooseTheme(theme))),
  ]
}

/** Tells whether name, aside and synonyms contain every typed word, in any order. */
export function fits({ name, aside = '', synonyms = '' }: Command, typed: string): boolean {
  const text = `${name} ${aside} ${synonyms}`.toLowerCase()
  return typed
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word))
}

export function runCommand(run: Run): Command {
  const { id, pack, template, status, reason, environment } = run
  const aside = [`${pack}/${template}`, status.replaceAll('_', ' '), environment, requesterOf(run), id]
    .filter(Boolean)
    .join(' · ')
  const act = (navigate: Navigate) => void navigate({ to: '/runs/$id', params: { id } })
  return { id, kind: 'run', name: reason ?? words.open_run(id), aside, act }
}

export function templateCommand({ pack, template, title }: Template): Command {
  const act = (navigate: Navigate) => void navigate({ to: '/start/$pack/$template', params: { pack, template } })
  return { id: `${pack}/${template}`, kind: 'template', name: words.start(title), aside: `${pack}/${template}`, act }
}

export function policyCommand({ name }: Policy): Command {
  const act = (navigate: Navigate) => void navigate({ to: '/policies/$name', params: { name } })
  return { id: `policy ${name}`, kind: 'policy', name: words.open_policy(name), act }
}

export function gateCommand(gate: WaitingGate): Command {
  const { gate_id, summary, alert, reason, pack, template, environment, requester } = gate
  const problem = alert?.title ?? reason
  const aside = [problem && summary, `${pack}/${template}`, environment, requester?.display].filter(Boolean).join(' · ')
  const act = (navigate: Navigate) => void navigate({ to: '/gates', search: { gate: gate_id } })
  return { id: gate_id, kind: 'gate', name: problem ?? summary, aside, act }
}

export function pipelineCommand({ id, name, status, environment }: Pipeline): Command {
  const aside = [id, status.replaceAll('_', ' '), environment].join(' · ')
  const act = (navigate: Navigate) => void navigate({ to: '/pipelines/$id', params: { id } })
  return { id, kind: 'pipeline', name, aside, act }
}

export function userCommand({ id, display_name, email, roles }: User): Command {
  const name = display_name ?? email ?? id
  const aside = [email, roles.join(', ')]
    .filter((part) => part !== undefined && part !== name && part !== '')
    .join(' · ')
  const act = (navigate: Navigate) => void navigate({ to: '/admin', search: { part: 'users' } })
  return { id, kind: 'person', name, aside, synonyms: id, act }
}
