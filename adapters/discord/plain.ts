/** A message for when Discord refuses it as it is. Pure. */
import type { Part } from "../../gateway/contract.ts";
import { readPart } from "./part.ts";

/** Discord refuses no text for its marks; what is left to take away are the buttons. */
export function plain(part: Part): Part {
  const { components: _components, ...rest } = readPart(part);
  return rest;
}
