export function action() {}
