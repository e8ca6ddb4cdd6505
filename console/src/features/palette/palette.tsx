import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react'
import { ApiError } from '../../lib/api.ts'
import { useMe } from '../../lib/use-me.ts'
import { useSettled } from '../../lib/use-now.ts'
import { PALETTE as words } from '../../strings/palette.ts'
import { readRun, readRuns } from '../runs/api.ts'
import { type Command, commandsOf, fitting, runCommand } from './commands.ts'

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

const STEPS: Readonly<Record<string, (at: number, last: number) => number>> = {
  ArrowDown: (at, last) => (at >= last ? 0 : at + 1),
  ArrowUp: (at, last) => (at <= 0 ? last : at - 1),
  PageDown: (_at, last) => last,
  PageUp: () => 0,
}

/** Pages, runs and actions by name, from the keyboard alone: a combobox that the focus never leaves. */
export function Palette({ onClose }: { onClose: () => void }) {
  const navigate = useNavigate()
  const dialog = useRef<HTMLDialogElement>(null)
  const list = useId()
  const [typed, setTyped] = useState('')
  const [at, setAt] = useState(0)
  const runs = useFoundRuns(typed)
  const commands = [...fitting(commandsOf(useMe()), typed), ...(runs.data ?? []).map(runCommand)]
  const marked = Math.min(at, commands.length - 1)
  const optionId = (place: number) => `${list}-${place}`
  useEffect(() => dialog.current?.showModal(), [])
  useEffect(
    // newer versions of Chromium answer with a promise, which React would take for a cleanup
    () => void document.getElementById(`${list}-${marked}`)?.scrollIntoView({ block: 'nearest' }),
    [list, marked],
  )

  const choose = (command: Command | undefined) => {
    if (command === undefined) return
    dialog.current?.close()
    command.act(navigate)
  }
  const press = (event: KeyboardEvent) => {
    const step = STEPS[event.key]
    if (step === undefined && event.key !== 'Enter') return
    event.preventDefault()
    if (step === undefined) choose(commands[marked])
    else setAt(step(marked, commands.length - 1))
  }
  return (
    <dialog
      ref={dialog}
      onClose={onClose}
      aria-label={words.title}
      className="mx-auto mt-[10vh] w-full max-w-xl rounded bg-paper p-4 text-ink shadow-lg backdrop:bg-black/40"
    >
      <input
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
        className="block w-full rounded border border-line bg-paper px-3 py-2"
      />
      <div id={list} role="listbox" aria-label={words.title} className="mt-2 max-h-[50vh] overflow-auto">
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
      <p role="status" className="mt-2 text-sm text-soft">
        {runs.isFetching ? words.looking : commands.length === 0 ? words.none : words.count(commands.length)}
      </p>
      {runs.error !== null && (
        <p role="alert" className="text-sm text-bad">
          {words.failed} {runs.error.message}
        </p>
      )}
      <p className="text-sm text-soft">{words.hint}</p>
    </dialog>
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
      className={`cursor-pointer rounded px-3 py-1.5 ${isMarked ? 'bg-sunk outline-2 -outline-offset-2 outline-mark' : ''}`}
    >
      <span className="flex gap-3">
        <span className="min-w-0 flex-1 break-words">{name}</span>
        <span className="text-sm text-soft">{words.kinds[kind]}</span>
      </span>
      {aside !== undefined && <span className="block break-words text-sm text-soft">{aside}</span>}
    </div>
  )
}
