import type { ReactNode } from 'react'

interface SegmentsProps<TValue extends string> {
  readonly label: string
  /** Default true. False where a heading beside it says the same. */
  readonly labelShown?: boolean
  readonly name: string
  readonly value: TValue
  readonly options: Readonly<Record<TValue, string>>
  readonly onChange: (value: TValue) => void
}

/**
 * One of a few, side by side. Radio buttons underneath, so arrow keys and screen readers work as everywhere.
 */
export function Segments<TValue extends string>(props: SegmentsProps<TValue>): ReactNode {
  // Object.keys forgets that the keys of this record are TValue.
  const values = Object.keys(props.options) as TValue[]
  return (
    <fieldset className="choice-of-one">
      <legend className={props.labelShown === false ? 'unseen' : undefined}>{props.label}</legend>
      <div className="segments">
        {values.map((value) => (
          <label key={value}>
            <input
              type="radio"
              name={props.name}
              checked={props.value === value}
              onChange={() => props.onChange(value)}
            />
            {props.options[value]}
          </label>
        ))}
      </div>
    </fieldset>
  )
}
