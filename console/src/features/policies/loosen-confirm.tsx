import { FIELD, Field } from '../../components/field.tsx'
import { POLICIES } from '../../words/policies.ts'

const words = POLICIES.editor

/** Nobody loosens something by a click: it is said in words. */
export function LoosenConfirm({ name, onAgree }: { name: string; onAgree: (agreed: boolean) => void }) {
  const phrase = words.phrase(name)
  return (
    <div className="my-3 max-w-prose rounded border border-bad p-3 text-bad">
      <Field name={words.confirm(phrase)}>
        <input
          className={FIELD}
          autoComplete="off"
          spellCheck={false}
          maxLength={200}
          onChange={({ target }) => onAgree(target.value.trim() === phrase)}
        />
      </Field>
    </div>
  )
}
