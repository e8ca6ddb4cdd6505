import type { UseNavigateResult } from '@tanstack/react-router'
import { NAVIGATION } from '../../app/navigation.ts'
import { chooseTheme, THEMES } from '../../lib/theme.ts'
import type { useMe } from '../../lib/use-me.ts'
import { PALETTE as words } from '../../strings/palette.ts'
import { type Run, requesterOf } from '../runs/api.ts'

export interface Command {
  /** unlike that of any other */
  id: string
  kind: keyof typeof words.kinds
  name: string
  /** beside the name, in less strong words */
  aside?: string
  act: (navigate: Navigate) => void
}

type Navigate = UseNavigateResult<string>

type Me = ReturnType<typeof useMe>

const action = (name: string, act: Command['act']): Command => ({ id: name, kind: 'action', name, act })

const administers = (name: string, part: string) =>
  action(name, (navigate) => void navigate({ to: '/admin', search: { part } }))

/** Every page, and the actions that this person may do. */
export function commandsOf(me: Me): Command[] {
  return [
    ...NAVIGATION.map(
      ({ to, name }): Command => ({ id: to, kind: 'page', name, act: (navigate) => void navigate({ to }) }),
    ),
    ...(me.isApprover
      ? [action(words.mine, (navigate) => void navigate({ to: '/gates', search: { awaiting_me: 'true' } }))]
      : []),
    ...(me.isOperator
      ? [action(words.inbox, (navigate) => void navigate({ to: '/triggers', search: { part: 'inbox' } }))]
      : []),
    ...(me.isAdmin
      ? [
          action(words.write_policy, (navigate) => void navigate({ to: '/new-policy' })),
          action(words.write_rule, (navigate) => {
            void navigate({ to: '/triggers', search: { part: 'rules', create: '1' } })
          }),
          administers(words.halt, 'halts'),
          administers(words.invite, 'users'),
          administers(words.make_key, 'keys'),
        ]
      : []),
    action(words.me, (navigate) => void navigate({ to: '/me' })),
    ...THEMES.map((theme) => action(words.themes[theme], () => chooseTheme(theme))),
  ]
}

/** Returns the commands that contain every typed word, in any order. */
export function fitting(commands: readonly Command[], typed: string): Command[] {
  const parts = typed.toLowerCase().split(/\s+/).filter(Boolean)
  return commands.filter(({ name }) => parts.every((part) => name.toLowerCase().includes(part)))
}

export function runCommand(run: Run): Command {
  const { id, pack, template, status, reason, environment } = run
  const aside = [reason, `${pack}/${template}`, status.replaceAll('_', ' '), environment, requesterOf(run)]
    .filter(Boolean)
    .join(' · ')
  const act = (navigate: Navigate) => void navigate({ to: '/runs/$id', params: { id } })
  return { id, kind: 'run', name: words.open_run(id), aside, act }
}
