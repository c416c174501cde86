/** The bot's own account, which is one of a workspace. */
export interface Bot {
  /** The workspace that installed the app. */
  readonly team: string;
  readonly user: string;
  /** By which some of its posts are signed. */
  readonly botId?: string;
  readonly name: string;
}

/** A bot has an id of its own in each workspace. */
export const accountOf = ({ team, user }: Bot): string => `${team}/${user}`;
