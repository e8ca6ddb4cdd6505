import { Dialog } from '../components/dialog.tsx'

interface Props {
  label: string
  onClose: () => void
  onType?: (text: string) => void
}

/** Stands for a dialog until its code is loaded: what is typed meanwhile is text, and no key of the page below. */
export function Opening({ label, onClose, onType }: Props) {
  return (
    <Dialog label={label} onClose={onClose} className="max-w-xl border bg-card">
      {() => (
        <input
          autoFocus
          aria-label={label}
          maxLength={200}
          onChange={({ target }) => onType?.(target.value)}
          className="h-8 w-full bg-transparent outline-none"
        />
      )}
    </Dialog>
  )
}
