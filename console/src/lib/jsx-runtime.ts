import type { ElementType, Key, ReactElement } from 'react'
import * as react from 'react/jsx-runtime'
import { visibleText } from './text.ts'

export type { JSX } from 'react'
export const { Fragment } = react

type Props = Readonly<Record<string, unknown>>

/** Makes elements as React does, with every text in them visible: no page has to think of it, and none can forget it. */
export function jsx(type: ElementType, props: Props, key?: Key): ReactElement {
  return react.jsx(type, shown(props), key)
}

export function jsxs(type: ElementType, props: Props, key?: Key): ReactElement {
  return react.jsxs(type, shown(props), key)
}

/** Also what a component is given: one of a library makes its elements by itself. What is visible already stays as it is. */
function shown(props: Props): Props {
  const { children } = props
  if (typeof children === 'string') return { ...props, children: visibleText(children) }
  return Array.isArray(children) ? { ...props, children: children.map(visibleChild) } : props
}

function visibleChild(child: unknown): unknown {
  return typeof child === 'string' ? visibleText(child) : child
}
