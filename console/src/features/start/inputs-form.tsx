import './inputs-form.css'
import { type Schema, Validator } from '@cfworker/json-schema'
import Form from '@rjsf/core/lib/components/Form.js'
import type { ErrorSchema, RJSFSchema, ValidatorType } from '@rjsf/utils'
import { useMemo } from 'react'
import type { Contract, Inputs } from './api.ts'
import { TEMPLATES, WIDGETS } from './form-look.tsx'
import { uiSchemaOf } from './form-schema.ts'
import { ExactNumberField } from './number-field.tsx'

function fits(schema: RJSFSchema | boolean, data: unknown): boolean {
  try {
    return new Validator(schema as Schema, '2020-12').validate(data).valid
  } catch {
    // such as a pattern that browsers do not know: the server has the last word anyway
    return false
  }
}

/**
 * Selects the alternative of a schema for the form. It interprets schemas, because the policy of the page forbids generated code. The
 * server alone reports faults of inputs.
 */
const schemaValidator: ValidatorType<Inputs> = {
  isValid: (schema, data, root) =>
    fits(typeof schema === 'boolean' ? schema : { $defs: root['$defs'], ...schema }, data),
  validateFormData: () => ({ errors: [], errorSchema: {} }),
  rawValidation: () => ({}),
}

const FIELDS = { NumberField: ExactNumberField }

interface Props {
  contract: Pick<Contract, 'inputs' | 'ui' | 'template_digest'>
  inputs: Inputs
  errors: ErrorSchema<Inputs>
  onChange: (inputs: Inputs) => void
}

/** The inputs of a template or a pipeline, drawn from its contract alone. It is sent with the form around it. */
export function InputsForm({ contract, inputs, errors, onChange }: Props) {
  const { template_digest } = contract
  // the contract of another environment is another object, with the same inputs
  // biome-ignore lint/correctness/useExhaustiveDependencies: the digest covers them
  const schema = useMemo(() => contract.inputs, [template_digest])
  // biome-ignore lint/correctness/useExhaustiveDependencies: the digest covers it
  const ui = useMemo(() => uiSchemaOf(contract), [template_digest])
  return (
    <div className="inputs-form">
      <Form<Inputs>
        tagName="div"
        idPrefix="inputs"
        schema={schema}
        uiSchema={ui}
        validator={schemaValidator}
        formData={inputs}
        extraErrors={errors}
        templates={TEMPLATES}
        widgets={WIDGETS}
        fields={FIELDS}
        showErrorList={false}
        noValidate
        onChange={({ formData }) => onChange(formData ?? {})}
      />
    </div>
  )
}
