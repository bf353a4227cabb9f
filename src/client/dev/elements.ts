type Attributes = Record<string, string | boolean>
type Child = Node | string | null

/**
 * Creates an element with attributes and children. No text is parsed as HTML. An attribute with the value `true` is
 * empty, and one with the value `false` is left out.
 */
export function element<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Attributes = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[Tag] {
  const created = document.createElement(tag)
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== false) created.setAttribute(name, value === true ? '' : value)
  }
  created.append(...children.filter((child) => child !== null))
  return created
}

/** Creates a button that calls `onClick`. */
export function button(attributes: Attributes, onClick: () => void, ...children: readonly Child[]): HTMLButtonElement {
  const created = element('button', { type: 'button', ...attributes }, ...children)
  created.addEventListener('click', onClick)
  return created
}
