import { useVirtualizer } from '@tanstack/react-virtual'
import { memo, type ReactNode, useEffect, useRef } from 'react'
import { usePrinting } from '../lib/use-media.ts'

export interface Column<Item> {
  name: string
  /** its width, and where it is left out */
  className: string
  /** shows all of its text, on as many lines as that takes */
  wraps?: boolean
  cell: (item: Item) => ReactNode
}

interface Props<Item> {
  label: string
  columns: readonly Column<Item>[]
  items: readonly Item[]
  keyOf: (item: Item) => string | number
  /** of the entry that is marked by the keyboard */
  marked?: number | undefined
  /** scrolls with new entries until the user scrolls away */
  follow?: boolean
  /** called near the end */
  onEnd?: (() => void) | undefined
  /** called with the first visible entry when it changes */
  onFirst?: ((index: number) => void) | undefined
}

const ROW_PX = 40
const BEYOND = 12

/** A table of any length that renders its visible rows only; printing renders all. */
export function VirtualTable<Item>(props: Props<Item>) {
  const { label, columns, items, keyOf, marked, follow = false, onEnd, onFirst } = props
  const frame = useRef<HTMLDivElement>(null)
  const atEnd = useRef(true)
  const scrolled = useRef(0)
  const printing = usePrinting()
  const virtual = useVirtualizer({
    count: items.length,
    getScrollElement: () => frame.current,
    estimateSize: () => ROW_PX,
    overscan: BEYOND,
    paddingStart: ROW_PX,
    scrollPaddingStart: ROW_PX,
  })
  const drawn = virtual.getVirtualItems()
  const first = printing ? 0 : (drawn[0]?.index ?? 0)
  const last = printing ? items.length - 1 : (drawn.at(-1)?.index ?? -1)
  const height = virtual.getTotalSize()
  const looked = virtual.range?.startIndex ?? 0

  useEffect(() => {
    if (marked !== undefined) virtual.scrollToIndex(marked, { align: 'auto' })
  }, [marked, virtual])
  // rows grow as they are measured, so that their end moves without a new one
  // biome-ignore lint/correctness/useExhaustiveDependencies: see above
  useEffect(() => {
    if (follow && atEnd.current && items.length > 0) virtual.scrollToIndex(items.length - 1, { align: 'end' })
  }, [follow, items.length, height, virtual])
  useEffect(() => {
    if (!printing && last >= items.length - BEYOND) onEnd?.()
  }, [last, items.length, onEnd, printing])
  useEffect(() => onFirst?.(looked), [looked, onFirst])

  const onScroll = () => {
    const { current: box } = frame
    if (box === null) return
    const isUp = box.scrollTop < scrolled.current
    scrolled.current = box.scrollTop
    if (box.scrollHeight - box.scrollTop - box.clientHeight < ROW_PX) atEnd.current = true
    else if (isUp) atEnd.current = false
  }
  return (
    <section
      ref={frame}
      aria-label={label}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by the keyboard
      tabIndex={0}
      onScroll={onScroll}
      className="max-h-[75vh] overflow-auto rounded-lg border print:max-h-none print:overflow-visible"
    >
      <table aria-label={label} aria-rowcount={items.length + 1} className="w-full table-fixed text-left text-sm">
        <thead className="sticky top-0 z-[1] bg-muted text-muted-foreground print:static">
          <tr className="h-10">
            {columns.map(({ name, className }) => (
              <th key={name} scope="col" className={`truncate px-3 font-medium ${className}`}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          <Gap px={printing ? 0 : (drawn[0]?.start ?? ROW_PX) - ROW_PX} />
          {items.slice(first, last + 1).map((item, place) => (
            <Row
              key={keyOf(item)}
              measure={virtual.measureElement}
              item={item}
              index={first + place}
              columns={columns as readonly Column<never>[]}
              isMarked={first + place === marked}
            />
          ))}
          <Gap px={printing ? 0 : height - (drawn.at(-1)?.end ?? ROW_PX)} />
        </tbody>
      </table>
    </section>
  )
}

/** The space of rows that are not rendered. The height is set through the object model, which the policy of the page allows. */
function Gap({ px }: { px: number }) {
  if (px <= 0) return null
  return (
    <tr>
      {/** one cell: a column span would count columns that a narrow screen hides */}
      <td style={{ height: px }} />
    </tr>
  )
}

interface RowProps {
  measure: (row: Element | null) => void
  item: unknown
  index: number
  columns: readonly Column<never>[]
  isMarked: boolean
}

const Row = memo(function Row({ measure, item, index, columns, isMarked }: RowProps) {
  const top = columns.some(({ wraps }) => wraps) ? 'py-2 align-top' : ''
  return (
    <tr
      ref={measure}
      data-index={index}
      aria-rowindex={index + 2}
      aria-current={isMarked ? 'true' : undefined}
      className={`h-10 border-t hover:bg-muted ${isMarked ? 'bg-muted outline-2 -outline-offset-2 outline-primary' : ''}`}
    >
      {columns.map(({ name, className, wraps, cell }) => (
        <td
          key={name}
          className={`px-3 ${top} ${wraps ? 'break-words' : 'truncate print:whitespace-normal print:break-all'} ${className}`}
        >
          {cell(item as never)}
        </td>
      ))}
    </tr>
  )
})
