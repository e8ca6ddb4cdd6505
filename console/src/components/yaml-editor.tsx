import { autocompletion, type CompletionSource } from '@codemirror/autocomplete'
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands'
import { yaml } from '@codemirror/lang-yaml'
import { HighlightStyle, syntaxHighlighting } from '@codemirror/language'
import { lintGutter, setDiagnostics } from '@codemirror/lint'
import { EditorState } from '@codemirror/state'
import { EditorView, keymap, lineNumbers } from '@codemirror/view'
import { tags } from '@lezer/highlight'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { type DocumentKind, readDocumentSchema } from '../lib/document-schema.ts'
import { type DocumentSchema, suggestYaml } from '../lib/suggest-yaml.ts'
import { offsetOf } from '../lib/text.ts'
import { yamlPosition } from '../lib/yaml-position.ts'
import { DOCUMENTS } from '../strings/documents.ts'

export interface Problem {
  message: string
  line?: number | undefined
  column?: number | undefined
  warning?: boolean | undefined
}

export interface YamlFieldProps {
  label: string
  /** selects the schema of completion */
  kind: DocumentKind
  text: string
  onChange?: (text: string) => void
  problems?: readonly Problem[]
  readOnly?: boolean
  /** target of the caret; a new object moves it again */
  caret?: Pick<Problem, 'line' | 'column'> | undefined
}

/**
 * The editor renders in a shadow root: its styles are adopted sheets there, where in the page they would be style elements, which the
 * policy of the page refuses. Tab leaves it, so that it is no keyboard trap.
 */
export function YamlEditor({ label, kind, text, onChange, problems = [], readOnly = false, caret }: YamlFieldProps) {
  const host = useRef<HTMLDivElement>(null)
  const view = useRef<EditorView>(null)
  const changed = useRef(onChange)
  /** the last text that editor and owner share */
  const agreed = useRef(text)
  const queries = useQueryClient()
  useEffect(() => {
    changed.current = onChange
  }, [onChange])

  useEffect(() => {
    const { current: element } = host
    if (element === null) return
    const root = element.shadowRoot ?? element.attachShadow({ mode: 'open' })
    const made = new EditorView({
      parent: root,
      root,
      state: EditorState.create({
        doc: agreed.current,
        extensions: [
          lineNumbers(),
          history(),
          yaml(),
          yamlCompletion(() => readDocumentSchema(queries, kind)),
          LOOK,
          syntaxHighlighting(COLOURS),
          lintGutter(),
          keymap.of([...defaultKeymap, ...historyKeymap]),
          EditorView.lineWrapping,
          EditorView.domEventHandlers({ beforeinput: typeOverSelection }),
          EditorState.readOnly.of(readOnly),
          EditorView.contentAttributes.of({ 'aria-label': label, 'aria-readonly': String(readOnly) }),
          EditorView.updateListener.of((update) => {
            if (!update.docChanged) return
            agreed.current = update.state.doc.toString()
            changed.current?.(agreed.current)
          }),
        ],
      }),
    })
    view.current = made
    return () => made.destroy()
  }, [label, readOnly, queries, kind])

  useEffect(() => {
    const { current: shown } = view
    if (shown === null || agreed.current === text) return
    shown.dispatch({ changes: { from: 0, to: shown.state.doc.length, insert: text } })
  }, [text])

  useEffect(() => {
    const { current: shown } = view
    if (shown === null) return
    const marks = problems.map(({ message, warning, ...place }) => {
      const from = offsetOf(shown.state.doc.toString(), place)
      const severity = warning === true ? ('warning' as const) : ('error' as const)
      return { from, to: Math.max(from, shown.state.doc.lineAt(from).to), severity, message }
    })
    shown.dispatch(setDiagnostics(shown.state, marks))
  }, [problems])

  useEffect(() => {
    const { current: shown } = view
    if (shown === null || caret === undefined) return
    const at = offsetOf(shown.state.doc.toString(), caret)
    shown.dispatch({ selection: { anchor: at }, scrollIntoView: true })
    shown.focus()
  }, [caret])

  return <div ref={host} className="overflow-hidden rounded border bg-background" />
}

/** A browser that joins lines by itself writes styles into them, which the policy of the page refuses. */
function typeOverSelection(event: InputEvent, view: EditorView): boolean {
  const { data, inputType } = event
  if (data === null || inputType !== 'insertText' || view.state.selection.main.empty || view.state.readOnly)
    return false
  view.dispatch(view.state.replaceSelection(data), { scrollIntoView: true, userEvent: 'input.type' })
  return true
}

// the colours of the page reach into the tree as variables, and follow the theme by themselves
const LOOK = EditorView.theme({
  '&': { color: 'var(--foreground)', backgroundColor: 'var(--background)', fontSize: '14px' },
  '.cm-scroller': { minHeight: '12rem', maxHeight: '60vh', overflow: 'auto' },
  '.cm-content': { caretColor: 'var(--foreground)' },
  '&.cm-focused': { outline: '2px solid var(--primary)', outlineOffset: '-2px' },
  '.cm-gutters': {
    color: 'var(--muted-foreground)',
    backgroundColor: 'var(--muted)',
    borderRight: '1px solid var(--border)',
  },
  '.cm-tooltip-autocomplete > ul > li[aria-selected]': {
    color: 'var(--background)',
    backgroundColor: 'var(--primary)',
  },
  '.cm-completionDetail': { fontStyle: 'normal', color: 'inherit' },
  '.cm-tooltip': { color: 'var(--foreground)', backgroundColor: 'var(--muted)', border: '1px solid var(--border)' },
})

const COLOURS = HighlightStyle.define([
  { tag: [tags.propertyName, tags.definition(tags.propertyName)], color: 'var(--primary)' },
  { tag: [tags.string, tags.special(tags.string), tags.attributeValue], color: 'var(--success)' },
  { tag: tags.comment, color: 'var(--muted-foreground)', fontStyle: 'italic' },
  { tag: [tags.meta, tags.keyword], color: 'var(--warning)' },
])

/** Completes at the caret. The completion opens when the schema has loaded; without a schema there is none. */
export function yamlCompletion(readSchema: () => Promise<DocumentSchema | undefined>) {
  const source: CompletionSource = async ({ state, pos, explicit }) => {
    const place = yamlPosition(state.sliceDoc(0, pos))
    if (place.word === '' && !explicit) return null
    const known = await readSchema().catch(() => undefined)
    if (known === undefined) return null
    const options = suggestYaml(known, place).map(({ label, insert, about, is_required }) => ({
      label,
      apply: insert,
      ...(about !== undefined && { info: about }),
      ...(is_required && { detail: DOCUMENTS.required, boost: 1 }),
    }))
    return { from: pos - place.word.length, options, validFor: /^[\w.:-]*$/ }
  }
  return autocompletion({ override: [source], icons: false })
}
