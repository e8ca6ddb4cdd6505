import {
  type ArrayFieldItemTemplateProps,
  ariaDescribedByIds,
  type DescriptionFieldProps,
  type IconButtonProps,
  type WidgetProps,
} from '@rjsf/utils'
import { Button } from '../../components/button.tsx'
import { FIELD } from '../../components/field.tsx'
import { Prose } from '../../components/prose.tsx'
import { START } from '../../strings/start.ts'

const words = START.form

function button(name: string) {
  return function FormButton({ id, className = '', disabled, onClick }: IconButtonProps) {
    return (
      <Button id={id} className={`text-sm ${className}`} disabled={disabled} onClick={onClick}>
        {name}
      </Button>
    )
  }
}

/** Buttons with words on them: those of the library are pictures in a font that is not there. */
const ButtonTemplates = {
  AddButton: button(words.add),
  RemoveButton: button(words.remove),
  MoveUpButton: button(words.up),
  MoveDownButton: button(words.down),
  CopyButton: button(words.copy),
  ClearButton: button(words.clear),
}

function ArrayFieldItemTemplate({ children, buttonsProps, hasToolbar, registry }: ArrayFieldItemTemplateProps) {
  const { ArrayFieldItemButtonsTemplate } = registry.templates
  return (
    <div className="my-2 rounded border p-2">
      {children}
      {hasToolbar && (
        <div className="mt-2 flex flex-wrap gap-2">
          <ArrayFieldItemButtonsTemplate {...buttonsProps} />
        </div>
      )}
    </div>
  )
}

/** Takes a secret and shows none: neither what was typed, nor what a browser would fill in. */
function SecretWidget({ id, value, required, disabled, onChange }: WidgetProps) {
  return (
    <>
      <input
        id={id}
        name={id}
        type="password"
        autoComplete="new-password"
        className={FIELD}
        value={typeof value === 'string' ? value : ''}
        required={required}
        disabled={disabled}
        aria-describedby={`${ariaDescribedByIds(id)} ${id}-secret`}
        onChange={({ target }) => onChange(target.value === '' ? undefined : target.value)}
      />
      <span id={`${id}-secret`} className="text-sm text-muted-foreground">
        {words.secret_hint}
      </span>
    </>
  )
}

function DescriptionFieldTemplate({ id, description }: DescriptionFieldProps) {
  if (description === undefined || description === '') return null
  return (
    <p id={id} className="field-description">
      {typeof description === 'string' ? <Prose text={description} /> : description}
    </p>
  )
}

export const TEMPLATES = { ButtonTemplates, ArrayFieldItemTemplate, DescriptionFieldTemplate }
export const WIDGETS = { secret: SecretWidget }
