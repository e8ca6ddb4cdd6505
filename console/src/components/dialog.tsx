import { type ReactNode, useLayoutEffect, useRef } from 'react'
import { cn } from '../lib/cn.ts'

interface Props {
  label: string
  onClose: () => void
  className?: string
  children: (close: () => void) => ReactNode
}

/** A modal dialog: the browser keeps the focus inside, closes it with Escape, and returns the focus afterwards. */
export function Dialog({ label, onClose, className, children }: Props) {
  const dialog = useRef<HTMLDialogElement>(null)
  // before anything else can take a key
  useLayoutEffect(() => dialog.current?.showModal(), [])
  return (
    <dialog
      ref={dialog}
      onClose={onClose}
      aria-label={label}
      className={cn(
        'm-auto max-h-[90vh] w-full overflow-auto rounded-xl bg-background p-5 text-foreground shadow-xl backdrop:bg-black/50',
        className,
      )}
    >
      {children(() => dialog.current?.close())}
    </dialog>
  )
}
