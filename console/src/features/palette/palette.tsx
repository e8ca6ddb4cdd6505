import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { Command as Cmdk } from 'cmdk'
import { useEffect, useRef, useState } from 'react'
import { ApiError } from '../../lib/api.ts'
import { useMe } from '../../lib/use-me.ts'
import { useSettled } from '../../lib/use-now.ts'
import { PALETTE as words } from '../../strings/palette.ts'
import { policiesQuery, templatesQuery } from '../policies/api.ts'
import { readRun, readRuns } from '../runs/api.ts'
import { type Command, commandsOf, fits, policyCommand, runCommand, templateCommand } from './commands.ts'

const FEWEST = 3
const MOST = 6
const RUN_ID = /^run_[0-9a-z]{26}$/

/** Runs that what is typed names: the one of that id, else those whose id or template has it. */
function useFoundRuns(typed: string) {
  const text = useSettled(typed.trim())
  return useQuery({
    queryKey: ['palette-runs', text],
    enabled: text.length >= FEWEST,
    queryFn: async ({ signal }) => {
      if (!RUN_ID.test(text)) return (await readRuns({ q: text }, '', signal)).runs.slice(0, MOST)
      try {
        return [await readRun(text, signal)]
      } catch (error) {
        if (error instanceof ApiError && error.status === 404) return []
        throw error
      }
    },
  })
}

/** What fits what is typed: pages and actions at once, templates, policies and runs once there is something to look for. */
function useCommands(typed: string) {
  const me = useMe()
  const templates = useQuery(templatesQuery)
  const policies = useQuery(policiesQuery)
  const runs = useFoundRuns(typed)
  const text = typed.trim()
  const named =
    text === ''
      ? []
      : [...(templates.data ?? []).map(templateCommand), ...(policies.data ?? []).map(policyCommand)].filter((each) =>
          fits(each, text),
        )
  const commands = [
    ...commandsOf(me).filter((each) => fits(each, text)),
    ...named.slice(0, MOST),
    ...(runs.data ?? []).map(runCommand),
  ]
  return { commands, runs }
}

/** Pages, templates, policies, runs and actions by name, from the keyboard alone. */
export function Palette({ onClose }: { onClose: () => void }) {
  const navigate = useNavigate()
  const dialog = useRef<HTMLDialogElement>(null)
  const [typed, setTyped] = useState('')
  const { commands, runs } = useCommands(typed)
  useEffect(() => dialog.current?.showModal(), [])
  const choose = (command: Command) => {
    dialog.current?.close()
    command.act(navigate)
  }
  return (
    <dialog
      ref={dialog}
      onClose={onClose}
      aria-label={words.title}
      className="mx-auto mt-[10vh] w-full max-w-xl overflow-hidden rounded-xl border bg-card p-0 text-foreground shadow-xl backdrop:bg-black/50"
    >
      <Cmdk label={words.label} shouldFilter={false} loop>
        <Cmdk.Input
          autoFocus
          value={typed}
          onValueChange={setTyped}
          maxLength={200}
          placeholder={words.label}
          className="block h-12 w-full border-b bg-transparent px-4 outline-none"
        />
        <Cmdk.List label={words.title} className="max-h-[50vh] overflow-auto p-2">
          {commands.map((command) => (
            <Option key={`${command.kind} ${command.id}`} command={command} onChoose={() => choose(command)} />
          ))}
        </Cmdk.List>
        <div className="border-t px-4 py-2 text-sm text-muted-foreground">
          <p role="status">
            {runs.isFetching ? words.looking : commands.length === 0 ? words.none : words.count(commands.length)}
          </p>
          {runs.error !== null && (
            <p role="alert" className="text-destructive">
              {words.failed} {runs.error.message}
            </p>
          )}
          <p className="touch:hidden">{words.hint}</p>
        </div>
      </Cmdk>
    </dialog>
  )
}

function Option({ command: { kind, id, name, aside }, onChoose }: { command: Command; onChoose: () => void }) {
  return (
    <Cmdk.Item
      value={`${kind} ${id}`}
      onSelect={onChoose}
      className="cursor-pointer rounded-md px-3 py-2 aria-selected:bg-muted touch:min-h-11"
    >
      <span className="flex gap-3">
        <span className="min-w-0 flex-1 break-words">{name}</span>
        <span className="text-sm text-muted-foreground">{words.kinds[kind]}</span>
      </span>
      {aside !== undefined && <span className="block break-words text-sm text-muted-foreground">{aside}</span>}
    </Cmdk.Item>
  )
}
