import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type KeyboardEvent, useEffect, useId, useState } from 'react'
import { Dialog } from '../../components/dialog.tsx'
import { cn } from '../../lib/cn.ts'
import { sessionQuery } from '../../lib/session.ts'
import { useMe } from '../../lib/use-me.ts'
import { useSignOut } from '../../lib/use-sign-out.ts'
import { PALETTE as words } from '../../strings/palette.ts'
import { policiesQuery, templatesQuery } from '../policies/api.ts'
import { type Command, commandsOf, fits, policyCommand, templateCommand } from './commands.ts'
import { MAX, useFound } from './use-found.ts'

/** What fits what is typed: pages and actions at once, anything else once there is something to look for. */
function useCommands(typed: string) {
  const me = useMe()
  const mayLeave = useQuery(sessionQuery).data?.authentication === 'on'
  const templates = useQuery(templatesQuery)
  const policies = useQuery(policiesQuery)
  const { found, ...asked } = useFound(typed)
  const text = typed.trim()
  const named =
    text === ''
      ? []
      : [...(templates.data ?? []).map(templateCommand), ...(policies.data ?? []).map(policyCommand)].filter((each) =>
          fits(each, text),
        )
  const commands = [...commandsOf(me, mayLeave).filter((each) => fits(each, text)), ...named.slice(0, MAX), ...found]
  return { commands, ...asked }
}

const STEPS: Readonly<Record<string, (at: number, last: number) => number>> = {
  ArrowDown: (at, last) => (at >= last ? 0 : at + 1),
  ArrowUp: (at, last) => (at <= 0 ? last : at - 1),
  PageDown: (_at, last) => last,
  PageUp: () => 0,
}

/** Pages, actions, templates, policies, gates, runs, pipelines and people by name, from the keyboard alone: a combobox that the focus never leaves. */
export function Palette({ typed, onClose }: { typed: string; onClose: () => void }) {
  return (
    <Dialog label={words.title} onClose={onClose} className="mt-[10vh] max-w-xl overflow-hidden border bg-card p-0">
      {(close) => <Finder typed={typed} close={close} />}
    </Dialog>
  )
}

function Finder({ typed: before, close }: { typed: string; close: () => void }) {
  const navigate = useNavigate()
  const leave = useSignOut()
  const list = useId()
  const [typed, setTyped] = useState(before)
  const [at, setAt] = useState(0)
  const { commands, isFetching, error } = useCommands(typed)
  const marked = Math.min(at, commands.length - 1)
  const optionId = (place: number) => `${list}-${place}`
  useEffect(
    // newer versions of Chromium answer with a promise, which React would take for a cleanup
    () => void document.getElementById(`${list}-${marked}`)?.scrollIntoView({ block: 'nearest' }),
    [list, marked],
  )

  const choose = (command: Command | undefined) => {
    if (command === undefined) return
    close()
    command.act(navigate, leave.mutate)
  }
  const press = (event: KeyboardEvent) => {
    const step = STEPS[event.key]
    if (step === undefined && event.key !== 'Enter') return
    event.preventDefault()
    if (step === undefined) choose(commands[marked])
    else setAt(step(marked, commands.length - 1))
  }
  return (
    <>
      <input
        // biome-ignore lint/a11y/noAutofocus: the dialog was opened to type here
        autoFocus
        role="combobox"
        aria-label={words.label}
        aria-expanded="true"
        aria-controls={list}
        aria-autocomplete="list"
        aria-activedescendant={marked < 0 ? undefined : optionId(marked)}
        autoComplete="off"
        spellCheck={false}
        maxLength={200}
        placeholder={words.label}
        value={typed}
        onKeyDown={press}
        onChange={({ target }) => {
          setTyped(target.value)
          setAt(0)
        }}
        className="block h-12 w-full border-b bg-transparent px-4 outline-none placeholder:text-muted-foreground"
      />
      <div id={list} role="listbox" aria-label={words.title} className="max-h-[50vh] overflow-auto p-2">
        {commands.map((command, place) => (
          <Option
            key={`${command.kind} ${command.id}`}
            id={optionId(place)}
            command={command}
            isMarked={place === marked}
            onChoose={() => choose(command)}
          />
        ))}
      </div>
      <div className="border-t px-4 py-2 text-sm text-muted-foreground">
        <p role="status">
          {isFetching ? words.looking : commands.length === 0 ? words.none : words.count(commands.length)}
        </p>
        {error !== null && (
          <p role="alert" className="text-destructive">
            {words.failed} {error.message}
          </p>
        )}
        <p className="touch:hidden">{words.hint}</p>
      </div>
    </>
  )
}

interface OptionProps {
  id: string
  command: Command
  isMarked: boolean
  onChoose: () => void
}

function Option({ id, command: { kind, name, aside }, isMarked, onChoose }: OptionProps) {
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are those of the combobox, which keeps the focus
    <div
      id={id}
      role="option"
      tabIndex={-1}
      aria-selected={isMarked}
      onClick={onChoose}
      className={cn('cursor-pointer rounded-md px-3 py-2 touch:min-h-11', isMarked && 'bg-muted')}
    >
      <span className="flex gap-3">
        <span className="min-w-0 flex-1 break-words">{name}</span>
        <span className="text-sm text-muted-foreground">{words.kinds[kind]}</span>
      </span>
      {aside !== undefined && <span className="block break-words text-sm text-muted-foreground">{aside}</span>}
    </div>
  )
}
