import type { ElementType, Key, ReactElement } from 'react'
import * as react from 'react/jsx-runtime'
import { visibleText } from './visible-text.ts'

export type { JSX } from 'react'
export const { Fragment } = react

type Props = Readonly<Record<string, unknown>>

/** Makes elements as React does, with every text in them visible: no page has to think of it, and none can forget it. */
export function jsx(type: ElementType, props: Props, key?: Key): ReactElement {
  return react.jsx(type, shown(type, props), key)
}

export function jsxs(type: ElementType, props: Props, key?: Key): ReactElement {
  return react.jsxs(type, shown(type, props), key)
}

/** What a component is given is its own to show, in elements of its own. */
function shown(type: ElementType, props: Props): Props {
  if (typeof type !== 'string' && type !== Fragment) return props
  const { children } = props
  if (typeof children === 'string') return { ...props, children: visibleText(children) }
  return Array.isArray(children) ? { ...props, children: children.map(visibleChild) } : props
}

function visibleChild(child: unknown): unknown {
  return typeof child === 'string' ? visibleText(child) : child
}
