import { NAVIGATION } from '../../app/navigation.ts'
import { chooseTheme, THEMES } from '../../lib/theme.ts'
import type { useMe } from '../../lib/use-me.ts'
import { PALETTE as words } from '../../words/palette.ts'
import { type Run, requesterOf } from '../runs/api.ts'

export interface Command {
  /** unlike that of any other */
  id: string
  kind: keyof typeof words.kinds
  name: string
  /** beside the name, in less strong words */
  aside?: string
  /** where it leads, unless it does something here */
  to?: { path: string; search?: Record<string, string> }
  act?: () => void
}

type Me = ReturnType<typeof useMe>

const leads = (name: string, path: string, search?: Record<string, string>): Command => ({
  ...{ id: name, kind: 'action', name },
  to: { path, ...(search && { search }) },
})

/** Every page, and the actions that this person may do. */
export function commandsOf(me: Me): Command[] {
  return [
    ...NAVIGATION.map(({ to, name }): Command => ({ id: to, kind: 'page', name, to: { path: to } })),
    ...(me.isApprover ? [leads(words.mine, '/gates', { awaiting_me: 'true' })] : []),
    ...(me.isOperator ? [leads(words.inbox, '/triggers', { part: 'inbox' })] : []),
    ...(me.isAdmin
      ? [
          leads(words.write_policy, '/new-policy'),
          leads(words.write_rule, '/triggers', { part: 'rules', create: '1' }),
          leads(words.halt, '/admin', { part: 'halts' }),
          leads(words.invite, '/admin', { part: 'users' }),
          leads(words.make_key, '/admin', { part: 'keys' }),
        ]
      : []),
    ...THEMES.map(
      (theme): Command => ({
        ...{ id: theme, kind: 'action', name: words.themes[theme] },
        act: () => chooseTheme(theme),
      }),
    ),
  ]
}

/** Those of which every word is typed, in whatever order. */
export function fitting(commands: readonly Command[], typed: string): Command[] {
  const parts = typed.toLowerCase().split(/\s+/).filter(Boolean)
  return commands.filter(({ name }) => parts.every((part) => name.toLowerCase().includes(part)))
}

export function runCommand(run: Run): Command {
  const { id, pack, template, status } = run
  const aside = [`${pack}/${template}`, status.replaceAll('_', ' '), requesterOf(run)].join(' · ')
  return { id, kind: 'run', name: words.open_run(id), aside, to: { path: `/runs/${id}` } }
}
