export function Elsewhere({ value }: { value: string }): never {
  throw value // place: elsewhere
}

export function ForeignElsewhere() {
  // begins: foreignElsewhere
  return notBuilt.fail()
}
