/** The files of a Slack message. */
import type { InboundFile } from "../../gateway/contract.ts";
import type { IncomingFile, Written } from "./payload.ts";

const GONE = ["tombstone", "hidden_by_limit"];

export const incomingFiles = ({ files = [] }: Pick<Written, "files">): InboundFile[] =>
  files.filter(({ mode }) => mode === undefined || !GONE.includes(mode)).map(inboundFile);

function inboundFile(file: IncomingFile): InboundFile {
  const address = file.is_external ? undefined : (file.url_private_download ?? file.url_private);
  return {
    id: formatHandle(file.id, address),
    name: file.name || file.title || file.id,
    ...(file.mimetype && { mime: file.mimetype }),
    ...(file.size !== undefined && { sizeBytes: file.size }),
  };
}

/** A file's id, and where its bytes are if that was said. */
const formatHandle = (id: string, address: string | undefined): string => (address ? `${id} ${address}` : id);

export function parseHandle(handle: string): { readonly id: string; readonly address?: string } {
  const [id = "", address] = handle.split(" ", 2);
  return { id, ...(address && { address }) };
}
